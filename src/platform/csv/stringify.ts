import { stringify } from 'csv-stringify/sync';
import type { Csv } from './port.ts';

export const toCsv: Csv = (rows) =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: 'windows', escape_formulas: true },
  );
