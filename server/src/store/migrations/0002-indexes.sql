-- Written by `npm run sql -w server` from src/store/tables/.
create index request_counts_by_hour on request_counts (hour);

create index api_key_channels_by_channel on api_key_channels (channel_id);

create index triggers_by_listening on triggers (listens_until);

create index members_by_user on members (user_id);

create index sessions_by_end on sessions (expires_at);

create index join_links_by_account on join_links (account_id, purpose);

create index join_links_by_member on join_links (member_id);

create index join_links_by_maker on join_links (created_by);

create index join_links_by_end on join_links (expires_at);

create index pair_codes_by_account on pair_codes (account_id);

create index pair_codes_by_user on pair_codes (user_id);

create index pair_codes_by_maker on pair_codes (created_by);

create index pair_codes_by_end on pair_codes (expires_at);

create index audit_log_by_time on audit_log (at);
