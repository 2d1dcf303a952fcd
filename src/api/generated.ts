import { openApi } from './openApi.ts';
import { operations } from './operations.ts';
import { renderProblemPage } from './problemPages.ts';
import { isProblemCode, statuses } from './statuses.ts';

/** The committed files that follow from the code, by path from the root of the project. */
export const generatedFiles = (version: string): ReadonlyMap<string, string> => {
  const files = new Map([['openapi.json', `${JSON.stringify(openApi(operations, version), null, 2)}\n`]]);
  for (const code of Object.keys(statuses)) {
    if (isProblemCode(code)) files.set(`docs/problems/${code}.md`, renderProblemPage(code));
  }
  return files;
};
