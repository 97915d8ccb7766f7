/** The token of an `Authorization: Bearer …` header; undefined if there is none (RFC 6750 section 2.1). */
export function bearerToken(header: string | undefined): string | undefined {
	return /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(header ?? '')?.[1];
}
