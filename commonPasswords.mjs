// Makes src/commands/commonPasswordDigests.ts from a list of passwords, one a line, the most common first:
//   node commonPasswords.mjs <list.txt> > src/commands/commonPasswordDigests.ts
// Only those of our least length count, without regard to case. Digests are kept in place of the words: what people chose is
// not always fit to be read, and nobody needs it to.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { argv, stdout } from 'node:process';

const atMost = 10_000;
const leastLength = 12;
/** Of 2^40 digests, 10,000: a password that is none of them is taken for one once in a hundred million. */
const digestBytes = 5;

const words = readFileSync(argv[2] ?? '/dev/stdin', 'utf8')
  .split(/\r?\n/)
  .map((line) => line.toLowerCase())
  .filter((word) => word.length >= leastLength && word.length <= 256);
const digests = [...new Set(words)]
  .slice(0, atMost)
  .map((word) => createHash('sha256').update(word).digest().subarray(0, digestBytes));
const text = Buffer.concat(digests.sort(Buffer.compare)).toString('base64');

stdout.write(`/** Made by commonPasswords.mjs; docs/security.md names the list and its licence. Sorted, ${digestBytes} bytes each, base64. */
export const commonPasswordDigests =
  '${text}';
`);
