/** The routes as a tree by path segment: a look-up costs the length of the path, whatever the number of routes. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type Route = { readonly method: Method; readonly path: string };

type Node<R> = {
  readonly literal: Map<string, Node<R>>;
  parameter: { readonly name: string; readonly node: Node<R> } | undefined;
  readonly byMethod: Map<Method, R>;
};

export type Match<R> =
  | { readonly found: 'route'; readonly route: R; readonly params: Readonly<Record<string, string>> }
  | { readonly found: 'path'; readonly allow: string }
  | { readonly found: 'nothing' };

const newNode = <R>(): Node<R> => ({ literal: new Map(), parameter: undefined, byMethod: new Map() });

/** Throws for two routes of the same method and path: that is a defect of the table. */
export const createRouteTable = <R extends Route>(routes: readonly R[]) => {
  const root = newNode<R>();
  for (const route of routes) insert(root, route);
  return (method: string, path: string): Match<R> => {
    const params: Record<string, string> = {};
    const node = walk(root, path.split('/'), params);
    if (!node || node.byMethod.size === 0) return { found: 'nothing' };
    const wanted = methodOf(method);
    const route = wanted && node.byMethod.get(wanted);
    return route ? { found: 'route', route, params } : { found: 'path', allow: allowed(node.byMethod) };
  };
};

const insert = <R extends Route>(root: Node<R>, route: R): void => {
  let node = root;
  for (const segment of route.path.split('/').slice(1)) {
    const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
    node = name === undefined ? literalChild(node, segment) : parameterChild(node, name);
  }
  if (node.byMethod.has(route.method)) throw new Error(`Two routes answer ${route.method} ${route.path}.`);
  node.byMethod.set(route.method, route);
};

const literalChild = <R>(node: Node<R>, segment: string): Node<R> => {
  const child = node.literal.get(segment) ?? newNode<R>();
  node.literal.set(segment, child);
  return child;
};

const parameterChild = <R>(node: Node<R>, name: string): Node<R> => {
  if (node.parameter && node.parameter.name !== name)
    throw new Error(`${name} is called ${node.parameter.name} elsewhere.`);
  node.parameter ??= { name, node: newNode<R>() };
  return node.parameter.node;
};

const walk = <R>(root: Node<R>, segments: readonly string[], params: Record<string, string>): Node<R> | undefined => {
  let node = root;
  for (let index = 1; index < segments.length; index += 1) {
    const segment = segments[index] ?? '';
    const literal = node.literal.get(segment);
    if (literal) {
      node = literal;
      continue;
    }
    const value = node.parameter && segment !== '' ? decoded(segment) : undefined;
    if (!node.parameter || value === undefined) return undefined;
    params[node.parameter.name] = value;
    node = node.parameter.node;
  }
  return node;
};

const decoded = (segment: string): string | undefined => {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
};

const methods: Readonly<Record<string, Method>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'post',
  PATCH: 'patch',
  PUT: 'put',
  DELETE: 'delete',
};
const methodOf = (method: string): Method | undefined => (Object.hasOwn(methods, method) ? methods[method] : undefined);

const allowed = (byMethod: ReadonlyMap<Method, unknown>): string =>
  [...byMethod.keys()]
    .flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]))
    .concat('OPTIONS')
    .join(', ');
