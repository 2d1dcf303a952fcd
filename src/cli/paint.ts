const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Colours text when it goes to a terminal that wants colour; otherwise leaves it alone. */
export type Paint = { readonly [Style in keyof typeof styles]: (text: string) => string };

const style = (code: number, enabled: boolean) => (text: string) =>
  enabled ? `\u001b[${code}m${text}\u001b[0m` : text;

export const createPaint = (enabled: boolean): Paint => ({
  bold: style(styles.bold, enabled),
  dim: style(styles.dim, enabled),
  red: style(styles.red, enabled),
  green: style(styles.green, enabled),
  yellow: style(styles.yellow, enabled),
  cyan: style(styles.cyan, enabled),
});

/** https://no-color.org: any value that is not empty turns colour off. */
export const wantsColor = (env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean => {
  if (env['NO_COLOR']) return false;
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true;
  return isTerminal && env['TERM'] !== 'dumb';
};

const unprintable = /[^\P{Cc}\t\n]/gu;

/** Text from elsewhere must not move the cursor or recolour the terminal. */
export const plain = (text: string): string => text.replace(unprintable, '\ufffd');
