const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The three forms of RFC 9110, section 5.6.7, two of which are not made any more but must be understood. */
const forms = [
  /^[a-z]{3}, (?<day>\d{2}) (?<month>[a-z]{3}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) gmt$/i,
  /^[a-z]{6,9}, (?<day>\d{2})-(?<month>[a-z]{3})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) gmt$/i,
  /^[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/i,
] as const;

/** Two digits more than fifty years ahead are of the century before, as the RFC says. */
const fullYear = (year: string, now: number): number => {
  if (year.length === 4) return Number(year);
  const thisYear = new Date(now).getUTCFullYear();
  const guess = thisYear - (thisYear % 100) + Number(year);
  return guess > thisYear + 50 ? guess - 100 : guess;
};

/** Milliseconds since the epoch; undefined for what is no date of HTTP. */
export const parseHttpDate = (text: string, now: number): number | undefined => {
  const found = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return undefined;
  const { day = '', month = '', year = '', time = '' } = found;
  const number = String(months.indexOf(month.toLowerCase()) + 1).padStart(2, '0');
  const years = String(fullYear(year, now)).padStart(4, '0');
  const parsed = Date.parse(`${years}-${number}-${day.trim().padStart(2, '0')}T${time}Z`);
  return Number.isNaN(parsed) ? undefined : parsed;
};
