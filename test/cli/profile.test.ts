import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { profileIsExposed, profilePath, readProfile, writeProfile } from '../../src/cli/developer/profile.ts';
import { normaliseUrl } from '../../src/cli/developer/server.ts';
import { meterLine } from '../../src/cli/operator/progress.ts';
import { plain } from '../../src/cli/paint.ts';

describe('The profile', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'opslog-profile-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const profile = {
    current: 'http://a',
    servers: { 'http://a': { token: 't', email: 'a@b.c', kind: 'session' as const } },
  };

  test('comes back as it was written, readable by its owner alone', async () => {
    const env = { HOME: home };
    const path = await writeProfile(env, profile);
    expect(path).toBe(join(home, '.config/opslog/profile.json'));
    expect(await readProfile(env)).toEqual(profile);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(path))).toEqual(['profile.json']);
  });

  test('lies under XDG_CONFIG_HOME when that is set', () => {
    expect(profilePath({ HOME: home, XDG_CONFIG_HOME: '/x' })).toBe('/x/opslog/profile.json');
  });

  test('is empty when there is none', async () => {
    expect(await readProfile({ HOME: home })).toEqual({ current: '', servers: {} });
  });

  test('is tightened when it is written again, and noticed while others can read it', async () => {
    const env = { HOME: home };
    const path = await writeProfile(env, profile);
    await chmod(path, 0o644);
    expect(await profileIsExposed(env)).toBe(true);
    await writeProfile(env, profile);
    expect(await profileIsExposed(env)).toBe(false);
  });

  test('a file that is none is not overwritten in silence', async () => {
    const env = { HOME: home };
    const path = await writeProfile(env, profile);
    await writeFile(path, '{"servers": 3}');
    await expect(readProfile(env)).rejects.toMatchObject({ code: 'profile_broken' });
    expect(await readFile(path, 'utf8')).toBe('{"servers": 3}');
  });
});

describe('An address', () => {
  test.each([
    ['https://a.example/', 'https://a.example'],
    ['a.example', 'https://a.example'],
    ['http://127.0.0.1:8080//', 'http://127.0.0.1:8080'],
    ['https://A.example:443/opslog/', 'https://a.example/opslog'],
  ])('%s is known as %s', (given, known) => expect(normaliseUrl(given)).toBe(known));

  test.each(['ftp://a.example', 'http://', 'https://me:secret@a.example'])('%s is refused', (given) =>
    expect(() => normaliseUrl(given)).toThrow(),
  );
});

describe('What is shown on a terminal', () => {
  test('progress says share, rate and time to go', () => {
    const line = meterLine({ label: 'Replaying', events: 5_000, position: 25, head: 100, elapsedMs: 1_000 });
    expect(line).toBe('Replaying [#####...............] 25 %  5000 events, 5000/s, 3.0 s to go');
  });

  test('text from elsewhere cannot move the cursor', () => {
    expect(plain('a\u001b[2Jb\u009b1mc\r\nd\te')).toBe('a\ufffd[2Jb\ufffd1mc\ufffd\nd\te');
  });
});
