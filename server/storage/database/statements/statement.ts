/** Statements of the store: built and typed by Kysely, compiled once per database, run with the values of each call. */
import { OperationNodeTransformer, ValueListNode, ValueNode } from 'kysely'
import type { Compilable, Kysely, KyselyPlugin, PrimitiveValueListNode } from 'kysely'
import type { Dialect } from './dialect.ts'
import type { Ran, Sql } from '../sqlite-connection.ts'
import type { Tables } from './tables.ts'

export type Values<Given> = object extends Given ? [given?: Given] : [given: Given]
export type StoreStatement<Given, Row> = {
  get(sql: Sql, ...given: Values<Given>): Promise<Row | undefined>
  all(sql: Sql, ...given: Values<Given>): Promise<Row[]>
  /** Is sent with the next statement whose result is awaited; see `Statement`. */
  run(sql: Sql, ...given: Values<Given>): Ran
  /** Is the last statement of a batch, whose failure undoes it; see `Batch`. */
  check(sql: Sql, ...given: Values<Given>): void
}

/**
 * Defines a statement. `build` is called once per database; `given.name` stands for the value that a call passes under
 * this name. All other values are constants: they become part of the text, because an index of some rows only
 * (`WHERE state = 'review'`) is not used for a bound value. A statement whose text depends on its values (a list of
 * variable length) is built by `queryOf` instead.
 */
export function statement<Given extends object, Row>(
  build: (builder: Kysely<Tables>, given: Given, dialect: Dialect) => Compilable<Row>,
): StoreStatement<Given, Row> {
  const compiled = new Map<Dialect, Compiled>()
  const compiledFor = (dialect: Dialect): Compiled => {
    const known = compiled.get(dialect)
    if (known !== undefined) return known
    const { sql, parameters } = build(
      dialect.builder.withPlugin(CONSTANTS),
      PLACEHOLDERS as Given,
      dialect,
    ).compile()
    const made = { text: sql, parameters }
    compiled.set(dialect, made)
    return made
  }
  const bound = (sql: Sql, given: Given | undefined): readonly [string, unknown[]] => {
    const { text, parameters } = compiledFor(sql.dialect)
    const values = (given ?? {}) as Readonly<Record<string, unknown>>
    return [text, parameters.map((one) => (one instanceof Placeholder ? values[one.name] : one))]
  }
  return {
    get(sql, ...given) {
      const [text, params] = bound(sql, given[0])
      return sql<Row>(text).get(...params)
    },
    all(sql, ...given) {
      const [text, params] = bound(sql, given[0])
      return sql<Row>(text).all(...params)
    },
    run(sql, ...given) {
      const [text, params] = bound(sql, given[0])
      return sql<Row>(text).run(...params)
    },
    check(sql, ...given) {
      const [text, params] = bound(sql, given[0])
      sql.batch?.check(text, ...params)
    },
  }
}

/**
 * A query that is built for one call, such as a list with the filters of its user. Values are bound; a constant that an
 * index depends on is written with `raw.lit`.
 */
export function queryOf<Row>(
  sql: Sql,
  build: (builder: Kysely<Tables>, dialect: Dialect) => Compilable<Row>,
): { get(): Promise<Row | undefined>; all(): Promise<Row[]>; run(): Ran } {
  const { sql: text, parameters } = build(sql.dialect.builder, sql.dialect).compile()
  const one = sql<Row>(text)
  return {
    get: () => one.get(...parameters),
    all: () => one.all(...parameters),
    run: () => one.run(...parameters),
  }
}

type Compiled = { readonly text: string; readonly parameters: readonly unknown[] }
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}
const PLACEHOLDERS: object = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })

/** Writes constants into the text, and leaves the values of a call as parameters. */
class ConstantsInText extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return constantOrParameter(node.value)
  }
  protected override transformPrimitiveValueList(
    node: PrimitiveValueListNode,
  ): PrimitiveValueListNode {
    // The compiler of statements goes by `kind`, and accepts either list wherever there can be one.
    return ValueListNode.create(
      node.values.map(constantOrParameter),
    ) as unknown as PrimitiveValueListNode
  }
}
const constantOrParameter = (value: unknown): ValueNode =>
  value instanceof Placeholder ? ValueNode.create(value) : ValueNode.createImmediate(value)
const transformer = new ConstantsInText()
const CONSTANTS: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
  transformResult: ({ result }) => Promise.resolve(result),
}
