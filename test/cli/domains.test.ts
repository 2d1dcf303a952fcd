import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { domain, domainTicket, storedCertificate } from '../../src/api/edgeDomainModels.ts';
import { domainCommands } from '../../src/cli/domainCommands.ts';
import { issue } from '../support/certificates.ts';
import { showEach } from './eachCommand.ts';
import { type Served, serve, type Workbench, workbench } from './support.ts';

const name = 'www.example.com';

describe('"opslog domains"', { timeout: 60_000 }, () => {
  let bench: Workbench;
  let opslog: Served;

  beforeAll(async () => {
    bench = await workbench();
    opslog = await serve(bench, join(bench.home, 'data'));
    const input = `${opslog.admin.password ?? ''}\n`;
    await bench.opslog(['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'], { input });
    await bench.opslog(['department', 'create', 'Sales']);
    await bench.opslog(['init', 'hello']);
    expect((await bench.opslog(['deploy', 'hello'])).code).toBe(0);
    const { certificate, privateKey } = issue([name]);
    await writeFile(join(bench.home, 'hello', 'chain.pem'), certificate);
    await writeFile(join(bench.home, 'hello', 'key.pem'), privateKey);
  }, 120_000);
  afterAll(async () => {
    await opslog?.stop();
    await bench.remove();
  });

  const run = (args: readonly string[]) => bench.opslog(['domains', ...args], { cwd: join(bench.home, 'hello') });
  const listed = z.object({ domains: z.array(domain) });
  /** The arguments, once the list shows the name so. */
  const once = async (isSo: (shown: z.output<typeof domain> | undefined) => boolean, args: readonly string[]) => {
    const look = async () =>
      (await run(['list', '--json'])).json(listed).domains.find((each) => each.hostname === name);
    await expect.poll(async () => isSo(await look()), { timeout: 30_000, interval: 250 }).toBe(true);
    return args;
  };
  const isAttached = (shown: z.output<typeof domain> | undefined): boolean => shown?.status === 'attached';

  showEach(
    domainCommands,
    {
      attach: {
        ...{ does: [name], says: /^www\.example\.com: being attached/ },
        json: () => once(isAttached, [name]),
        answers: domainTicket.extend({ status: z.literal('attached') }).loose(),
        ...{ refused: ['*.example.com'], code: 'domain_name_invalid' },
      },
      verify: {
        ...{ does: () => once(isAttached, [name]), says: /^www\.example\.com: being looked at/ },
        answers: domainTicket.loose(),
        ...{ refused: ['other.example.com'], code: 'domain_not_found' },
      },
      list: {
        does: () => once((shown) => shown?.verification?.verified === true, []),
        // Who was asked, and what nobody has looked at: the way from elsewhere.
        says: /^www\.example\.com {2}attached {2}http:\S+ {2}verified \S+: Opslog's own router answers for www\.example\.com with revision 1 of the worker\. DNS /,
        answers: z.object({ domains: z.array(domain).length(1) }),
        ...{ refused: ['--department', 'nobody'], code: 'department_unclear' },
      },
      certificate: {
        ...{
          does: [name, '--cert', 'chain.pem', '--key', 'key.pem'],
          says: /a certificate for www\.example\.com until/,
        },
        answers: z.object({ hostname: z.literal(name), certificate: storedCertificate }),
        ...{ refused: [name, '--cert', 'key.pem', '--key', 'chain.pem'], code: 'domain_certificate_invalid' },
      },
      detach: {
        ...{ does: [name], says: /^www\.example\.com: being detached/ },
        json: async () => {
          await once((shown) => shown === undefined, []);
          await run(['attach', name]);
          return once(isAttached, [name]);
        },
        answers: domainTicket.loose(),
        ...{ refused: ['other.example.com'], code: 'domain_not_found' },
      },
    },
    run,
  );

  test('"certificate --remove" takes it back', async () => {
    const shop = 'shop.example.com';
    const { certificate, privateKey } = issue([shop]);
    await writeFile(join(bench.home, 'hello', 'chain.pem'), certificate);
    await writeFile(join(bench.home, 'hello', 'key.pem'), privateKey);
    await run(['attach', shop]);
    expect((await run(['certificate', shop, '--cert', 'chain.pem', '--key', 'key.pem'])).code).toBe(0);
    expect((await run(['certificate', shop, '--remove'])).stdout).toContain(`${shop}: no certificate any more`);
    const { domains } = (await run(['list', '--json'])).json(listed);
    expect(domains.find(({ hostname }) => hostname === shop)).toMatchObject({ certificate: null });
  });
});
