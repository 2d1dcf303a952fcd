/** Decides about a path relative to the folder, with forward slashes; a folder's own path has none at its end. */
export type Ignore = (path: string, isFolder: boolean) => boolean;

type Rule = { readonly matches: RegExp; readonly keep: boolean; readonly onlyFolders: boolean };

/** The usual rules of .gitignore: `#` comments, `!` keeps, a slash at the end means folders, `*`, `?`, `[…]` and `**`. */
export const parseIgnore = (text: string): Ignore => {
  const rules = text.split(/\r?\n/).flatMap((line) => ruleOf(line));
  return (path, isFolder) => {
    const last = rules.findLast((rule) => (isFolder || !rule.onlyFolders) && rule.matches.test(path));
    return last !== undefined && !last.keep;
  };
};

const ruleOf = (line: string): Rule[] => {
  const trimmed = line.replace(/(?<!\\)\s+$/, '');
  if (trimmed === '' || trimmed.startsWith('#')) return [];
  const keep = trimmed.startsWith('!');
  const pattern = keep ? trimmed.slice(1) : trimmed;
  const onlyFolders = pattern.endsWith('/');
  const body = onlyFolders ? pattern.slice(0, -1) : pattern;
  // A slash before the end ties the pattern to the folder of the file; without one it matches at any depth.
  const anchored = body.includes('/');
  const source = toRegExp(body.startsWith('/') ? body.slice(1) : body);
  return [{ matches: new RegExp(`^${anchored ? '' : '(?:.*/)?'}${source}$`, 'u'), keep, onlyFolders }];
};

const toRegExp = (glob: string): string => {
  const parts = glob.match(/\*\*\/|\/\*\*$|\*+|\?|\[[^\]/]+\]|\\.|./gsu) ?? [];
  return parts
    .map((part) => {
      if (part === '**/') return '(?:.*/)?';
      if (part === '/**') return '/.*';
      if (part.startsWith('*')) return '[^/]*';
      if (part === '?') return '[^/]';
      if (part.length > 2 && part.startsWith('['))
        return `[${part.slice(1, -1).replace(/^!/, '^').replaceAll('\\', '\\\\')}]`;
      return escapeLiteral(part.startsWith('\\') ? part.slice(1) : part);
    })
    .join('');
};

const escapeLiteral = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Never sent, whatever else is said: version control, what tools leave behind, and what usually holds secrets. */
export const alwaysIgnored = parseIgnore(`
.git
.hg
.svn
.jj
node_modules
.DS_Store
Thumbs.db
.idea/
.vscode/
.wrangler/
.cache/
coverage/
*.log
*.swp
*~
.env
.env.*
.dev.vars
.npmrc
.netrc
.ssh/
.aws/
id_rsa*
id_ed25519*
*.pem
*.key
*.p12
*.pfx
*.tar.gz
*.tgz
*.zip
`);
