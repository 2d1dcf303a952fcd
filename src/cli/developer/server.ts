import type { Cli } from '../cli.ts';
import { Failure, usage } from '../failure.ts';
import { type Account, profileIsExposed, profilePath, readProfile } from './profile.ts';

export const defaultUrl = 'http://127.0.0.1:8080';

/** Which Opslog is meant, and as whom: --url, OPSLOG_URL or the one signed in to last; OPSLOG_TOKEN or the profile. */
export type Server = { readonly url: string; readonly token: string; readonly account: Account | undefined };

export const findServer = async (cli: Cli, given: string | undefined): Promise<Server> => {
  const profile = await readProfile(cli.env);
  const url = normaliseUrl(given ?? cli.env['OPSLOG_URL'] ?? (profile.current || defaultUrl));
  const account = profile.servers[url];
  const token = cli.env['OPSLOG_TOKEN'] || account?.token;
  if (!token) {
    throw new Failure(`Not signed in to ${url}.`, {
      code: 'not_signed_in',
      hint: `Run "opslog login --url ${url}", or set OPSLOG_TOKEN.`,
    });
  }
  if (!cli.env['OPSLOG_TOKEN'] && (await profileIsExposed(cli.env))) {
    cli.note(`${cli.paint.yellow('warning')}: others can read ${profilePath(cli.env)}; run chmod 600 on it.`);
  }
  return { url, token: acceptableToken(token), account };
};

/** Something else pasted in its place must end neither in a header nor in a message. */
export const acceptableToken = (text: string): string => {
  if (/^[!-~]{1,200}$/.test(text)) return text;
  throw usage('This is no token: a token is one line of visible characters.', 'Run "opslog login" to get one.');
};

/** Scheme, host and path without a slash at the end, so that one server has one name. */
export const normaliseUrl = (text: string): string => {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw usage(`"${text}" is not the address of a server.`, 'Give it as https://opslog.example.com.');
  }
  if (url.username || url.password) throw usage('An address must not carry a user name or password.');
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
};

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A password must not cross a network in the clear without anybody noticing. */
export const warnWhenInTheClear = (cli: Cli, url: string): void => {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !loopback.has(hostname)) {
    cli.note(`${cli.paint.yellow('warning')}: ${url} is not encrypted; password and token can be read on the way.`);
  }
};
