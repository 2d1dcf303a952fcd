import { z } from 'zod';

/** One line of a control answer: any number of progress lines, then a result or an error. */
export const controlLine = z.union([
  z.strictObject({ progress: z.unknown() }),
  z.strictObject({ result: z.unknown() }),
  z.strictObject({ error: z.object({ code: z.string(), message: z.string() }) }),
]);
export type ControlLine = z.infer<typeof controlLine>;

export const operationPath = (name: string): string => `/operations/${name}`;
