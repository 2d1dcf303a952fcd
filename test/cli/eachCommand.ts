import { expect, test } from 'vitest';
import { z } from 'zod';
import { exitCodes } from '../../src/cli/exitCodes.ts';
import type { CommandDefinition } from '../../src/cli/register.ts';
import { failed, type Ran } from './support.ts';

type Args = readonly string[] | (() => Promise<readonly string[]>);

/** One subcommand: what it does for people and for programs, and one thing that it is refused. */
export type Shown = {
  readonly does: Args;
  readonly says: RegExp;
  /** The same, or another happy path, with `--json`. */
  readonly json?: Args;
  readonly answers: z.ZodType;
  readonly refused: Args;
  readonly code: string;
  /** 1 unless given. */
  readonly exit?: number;
};

/** Every subcommand of a group has its line, and each is run three times through the built program. */
export const showEach = (
  definitions: readonly CommandDefinition[],
  shown: Readonly<Record<string, Shown>>,
  run: (args: readonly string[]) => Promise<Ran>,
): void => {
  const argsOf = async (args: Args) => (typeof args === 'function' ? await args() : args);
  test('has a line here for each of its subcommands', () => {
    expect(Object.keys(shown).sort()).toEqual(definitions.map(({ usage }) => usage.split(' ')[0] ?? '').sort());
  });
  describeEach(shown, async (name, args) => run([name, ...(await argsOf(args))]));
};

const describeEach = (
  shown: Readonly<Record<string, Shown>>,
  run: (name: string, args: Args) => Promise<Ran>,
): void => {
  for (const [name, { does, says, json = does, answers, refused, code, exit = exitCodes.refused }] of Object.entries(
    shown,
  )) {
    test(`"${name}" says what it did`, async () => {
      const ran = await run(name, does);
      expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: exitCodes.done, stderr: '' });
      expect(ran.stdout).toMatch(says);
    });
    test(`"${name} --json" answers one JSON object`, async () => {
      const ran = await run(name, withJson(json));
      expect(ran.code).toBe(exitCodes.done);
      expect(ran.lines()).toHaveLength(1);
      ran.json(z.object({ ok: z.literal(true) }).and(answers));
    });
    test(`"${name}" says why not, and ends with ${exit}`, async () => {
      const forPeople = await run(name, refused);
      expect({ code: forPeople.code, stdout: forPeople.stdout }).toEqual({ code: exit, stdout: '' });
      expect(forPeople.stderr).not.toBe('');
      const forPrograms = await run(name, withJson(refused));
      expect(forPrograms.code).toBe(exit);
      expect(forPrograms.json(failed).code).toBe(code);
    });
  }
};

const withJson =
  (args: Args): Args =>
  async () => [...(typeof args === 'function' ? await args() : args), '--json'];
