import type { Command } from 'commander';
import { seedDemo } from '../service/administration/demo.ts';
import { type CommonOptions, onData, publicUrl, startAdvice, withCommonOptions } from './run.ts';

export function addDemo(program: Command): void {
	withCommonOptions(
		program
			.command('demo')
			.description('seed an account with a phone, channels and metrics; print links and the key'),
	)
		.option('--port <n>', 'port that the server listens on (setting BECKON_PORT)')
		.option('--host <h>', 'address that the server listens on (setting BECKON_HOST)')
		.action((options: CommonOptions) =>
			onData(
				options,
				async (context, config) => {
					const demo = await seedDemo(context);
					const base = publicUrl(config);
					const phone = `${base}/phone#token=${demo.device_token}`;
					const pair = `${base}/phone#code=${demo.pair_code}`;
					const start = startAdvice(config, options);
					return {
						json: { ...demo, base_url: `${base}/api`, phone, pair },
						lines: [
							`Account        ${demo.account}`,
							`Base URL       ${base}/api`,
							`API key        ${demo.key}`,
							`Phone          ${phone}`,
							`Another phone  ${pair}`,
							`Channels       ${demo.channels.join(', ')}`,
							`Metrics        ${demo.metrics.join(', ')}`,
							...(start === undefined ? [] : ['', start]),
						],
					};
				},
				{ creates: true },
			),
		);
}
