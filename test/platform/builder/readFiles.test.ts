import { expect, it } from 'vitest';
import { readFiles } from '../../../src/platform/builder/readFiles.ts';

it('a JSON submission is read into files sorted by path, text and base64 alike', () => {
  const files = readFiles([
    { path: 'src/b.ts', contentBase64: Buffer.from('bé').toString('base64') },
    { path: 'src/a.ts', content: 'aé' },
  ]);
  expect(files).toEqual([
    { path: 'src/a.ts', bytes: new TextEncoder().encode('aé') },
    { path: 'src/b.ts', bytes: new TextEncoder().encode('bé') },
  ]);
});

it.each([
  [{ path: '../x', content: '' }, 'SubmissionPathRefused', 'files[1].path'],
  [{ path: 'a/', content: '' }, 'SubmissionPathRefused', 'files[1].path'],
  [{ path: '', content: '' }, 'SubmissionPathRefused', 'files[1].path'],
  [{ path: '\ud800.ts', content: '' }, 'SubmissionPathRefused', 'files[1].path'],
  [{ path: 'OK.ts', content: '' }, 'SubmissionPathDuplicate', 'files[1].path'],
  [{ path: 'a.ts', content: 'x\udfff' }, 'SubmissionFileNotText', 'files[1].content'],
  [{ path: 'a.ts', contentBase64: '/w==' }, 'SubmissionFileNotText', 'files[1].contentBase64'],
  [{ path: 'a.ts', contentBase64: 'YQ' }, 'SubmissionFileNotText', 'files[1].contentBase64'],
  [{ path: 'a.ts', contentBase64: 'YQ==\n' }, 'SubmissionFileNotText', 'files[1].contentBase64'],
  [{ path: 'a.ts', content: 'x'.repeat(1024 * 1024 + 1) }, 'SubmissionTooLarge', 'files[1].content'],
])('a JSON submission with %j is refused with the field named', (file, rejected, field) => {
  expect(readFiles([{ path: 'ok.ts', content: '' }, file])).toMatchObject({ rejected, field });
});

it('a JSON submission without files is refused', () => {
  expect(readFiles([])).toMatchObject({ rejected: 'SubmissionEmpty', field: 'files' });
});
