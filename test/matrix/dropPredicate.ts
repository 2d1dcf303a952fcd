import {
  BinaryOperationNode as Binary,
  type BinaryOperationNode,
  type KyselyPlugin,
  type OperationNode,
  OperationNodeTransformer,
  OperatorNode,
  RawNode,
  ValueNode,
} from 'kysely';

/**
 * Finds the comparisons with a tenant in the statements of a query, and takes one of them out. Kysely asks for a class here.
 */
class TenantComparisons extends OperationNodeTransformer {
  readonly found: string[] = [];
  /** Every place of the tenant's id, in a comparison that can be taken out or not. */
  values = 0;
  /** A subquery passes by itself first, and then within its statement: what has passed is not looked at again. */
  readonly #passed = new WeakSet<OperationNode>();
  readonly #tenant: string;
  readonly #drop: (index: number) => boolean;

  constructor(tenant: string, drop: (index: number) => boolean) {
    super();
    this.#tenant = tenant;
    this.#drop = drop;
  }

  protected override transformBinaryOperation(node: BinaryOperationNode): BinaryOperationNode {
    const transformed = super.transformBinaryOperation(node);
    const { operator, rightOperand } = node;
    const isComparison = OperatorNode.is(operator) && operator.operator === '=';
    if (!isComparison || !ValueNode.is(rightOperand) || rightOperand.value !== this.#tenant) return transformed;
    const hasPassed = this.#passed.has(node);
    this.#passed.add(transformed);
    if (hasPassed) return transformed;
    this.found.push(columnOf(node.leftOperand));
    return this.#drop(this.found.length - 1) ? always : transformed;
  }

  /** In SQL that is written out, the comparison goes by comparing the column with itself. */
  protected override transformRaw(node: RawNode): RawNode {
    const isNew = node.parameters.map((parameter) => !this.#passed.has(parameter));
    const transformed = super.transformRaw(node);
    const parameters = transformed.parameters.map((parameter, at) => {
      const left = ValueNode.is(parameter) && parameter.value === this.#tenant ? leftOf(transformed, at) : undefined;
      if (!left || !isNew[at]) return parameter;
      this.found.push(columnOf(left));
      return this.#drop(this.found.length - 1) ? left : parameter;
    });
    return { ...transformed, parameters };
  }

  protected override transformValue(node: ValueNode): ValueNode {
    if (node.value === this.#tenant && !this.#passed.has(node)) this.values += 1;
    const transformed = super.transformValue(node);
    this.#passed.add(transformed);
    return transformed;
  }
}

const one = ValueNode.createImmediate(1);
const always = Binary.create(one, OperatorNode.create('='), one);

/** What stands before `= <value>`: a parameter of its own, or a column that is written out. */
const leftOf = ({ sqlFragments, parameters }: RawNode, at: number): OperationNode | undefined => {
  const before = sqlFragments[at] ?? '';
  if (/^\s*=\s*$/.test(before)) return parameters[at - 1];
  const [, column] = /([\w.]+)\s*=\s*$/.exec(before) ?? [];
  return column === undefined ? undefined : RawNode.createWithSql(column);
};

const columnOf = (node: OperationNode): string => /"name":"(\w+)"(?!.*"name":)/.exec(JSON.stringify(node))?.[1] ?? '?';

export type Watched = KyselyPlugin & {
  /** Columns that the tenant is compared with, in the order of the statements. */
  found(): readonly string[];
  /** How often the tenant's id is in the statements at all. */
  values(): number;
};

/** Takes out what `drop` says, counted from 0 over all statements that pass. */
export const watchTenant = (tenant: string, drop: (index: number) => boolean = () => false): Watched => {
  const comparisons = new TenantComparisons(tenant, drop);
  return {
    found: () => comparisons.found,
    values: () => comparisons.values,
    transformQuery: ({ node }) => comparisons.transformNode(node),
    transformResult: async ({ result }) => result,
  };
};
