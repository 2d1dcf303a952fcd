import { type Disturbance, isDisturbed } from './machine.ts';
import { type Spread, spreadOf } from './stats.ts';

/** One line of the result. `floor` is what must be reached; a figure without one is only told. */
export type Figure = {
  readonly benchmark: string;
  readonly figure: string;
  readonly value: number;
  readonly unit: string;
  /** The same in relation to the bare limit of this run. */
  readonly ratio: number | null;
  readonly against: string;
  readonly floor: string | null;
  readonly reached: boolean | null;
  /** Of the value, over the repetitions. */
  readonly min: number;
  readonly max: number;
  readonly ratioMin: number | null;
  readonly ratioMax: number | null;
  readonly repetitions: number;
  readonly note: string;
};

/** What was compared: one value per repetition of each side, in pairs. */
export type Pairs = { readonly ours: readonly number[]; readonly bare: readonly number[] };

export type Floor = {
  readonly text: string;
  /** Judged on the medians. */
  readonly holds: (value: number, ratio: number) => boolean;
};

const round = (value: number): number => (Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));

/** Ratio of each repetition to the bare side of the same repetition. */
export const ratiosOf = ({ ours, bare }: Pairs): Spread | undefined => {
  const ratios = ours.flatMap((value, index) => {
    const limit = bare[index];
    return limit === undefined ? [] : [value / limit];
  });
  return ratios.length === 0 ? undefined : spreadOf(ratios);
};

export const figureOf = (
  name: { readonly benchmark: string; readonly figure: string; readonly unit: string },
  pairs: Pairs,
  more: { readonly against?: string; readonly floor?: Floor; readonly note?: string } = {},
): Figure => {
  const value = spreadOf(pairs.ours);
  const ratio = ratiosOf(pairs);
  return {
    ...name,
    value: round(value.median),
    ratio: ratio ? round(ratio.median) : null,
    against: more.against ?? '',
    floor: more.floor?.text ?? null,
    reached: more.floor ? more.floor.holds(value.median, ratio?.median ?? Number.NaN) : null,
    min: round(value.min),
    max: round(value.max),
    ratioMin: ratio ? round(ratio.min) : null,
    ratioMax: ratio ? round(ratio.max) : null,
    repetitions: value.count,
    note: more.note ?? '',
  };
};

export type Section = {
  readonly benchmark: string;
  readonly title: string;
  /** Who did what, and how durable it was when it was acknowledged. */
  readonly terms: readonly string[];
  readonly figures: readonly Figure[];
  readonly skipped: readonly string[];
  readonly disturbance: Disturbance;
  readonly seconds: number;
};

const cell = (figure: Figure): readonly string[] => {
  const range = figure.repetitions > 1 ? ` (${figure.min}–${figure.max})` : '';
  const ratioRange = figure.ratioMin !== figure.ratioMax ? ` (${figure.ratioMin}–${figure.ratioMax})` : '';
  return [
    figure.benchmark,
    figure.figure,
    `${figure.value} ${figure.unit}${range}`,
    figure.ratio === null ? '' : `${figure.ratio}${ratioRange} × ${figure.against}`,
    figure.floor ?? '',
    figure.reached === null ? '' : figure.reached ? 'reached' : 'MISSED',
  ];
};

const headers = ['', 'figure', 'value (min–max)', 'ratio (min–max)', 'floor', ''] as const;

const tableOf = (sections: readonly Section[]): string => {
  const rows = [headers, ...sections.flatMap(({ figures }) => figures.map(cell))];
  const widths = headers.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/** For people. */
export const renderReport = (sections: readonly Section[]): string => {
  const lines = [tableOf(sections), ''];
  for (const { benchmark, title, terms, figures, skipped, disturbance, seconds } of sections) {
    const { foreignCores, stealShare, loadAverage } = disturbance;
    lines.push(`${benchmark}: ${title} (${seconds.toFixed(0)} s)`);
    for (const term of terms) lines.push(`  ${term}`);
    for (const { figure, note } of figures) if (note !== '') lines.push(`  ${figure}: ${note}`);
    for (const each of skipped) lines.push(`  not measured: ${each}`);
    const quiet = `${foreignCores.toFixed(2)} cores used by others, steal ${(stealShare * 100).toFixed(1)} %, load average ${loadAverage.toFixed(1)}`;
    lines.push(
      isDisturbed(disturbance) ? `  DISTURBED: ${quiet}. These figures do not count.` : `  quiet: ${quiet}`,
      '',
    );
  }
  return lines.join('\n');
};
