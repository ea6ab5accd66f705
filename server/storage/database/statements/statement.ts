/**
 * Defines the statements of the store.
 * Kysely builds and types them, and compiles them once per database; each call passes its values.
 */
import { OperationNodeTransformer, ValueListNode, ValueNode } from 'kysely'
import type { Compilable, Kysely, KyselyPlugin, PrimitiveValueListNode } from 'kysely'
import { assert } from '../../../../engine/index.ts'
import type { Dialect } from './dialect.ts'
import type { WriteResult, Sql } from '../sqlite-connection.ts'
import type { Tables } from './tables.ts'

export type Values<Params> = object extends Params ? [params?: Params] : [params: Params]
export type StoreStatement<Params, Row> = {
  get(sql: Sql, ...params: Values<Params>): Promise<Row | undefined>
  all(sql: Sql, ...params: Values<Params>): Promise<Row[]>
  /** Queues the statement, which is sent together with the next statement whose result is awaited; see `Statement`. */
  run(sql: Sql, ...params: Values<Params>): WriteResult
  /** Runs the statement as the last one of a batch. If it fails, the batch is rolled back. See `Batch`. */
  check(sql: Sql, ...params: Values<Params>): void
  /** Sends the statement immediately before the commit; see `Batch`. */
  sendLast(sql: Sql, params: Params, contendedRow: string): void
  /** Predicts the rows that the statement returns after the writes so far; see `Batch`. */
  predict(sql: Sql, params: Params, rows: readonly (Row & object)[]): void
}

const definedStatements: ((dialect: Dialect) => string)[] = []
/** Returns the SQL of every statement whose module is loaded, so that a test can read the query plans. */
export const listStatements = (dialect: Dialect): readonly string[] =>
  definedStatements.map((buildText) => buildText(dialect))

/**
 * Defines a statement. `build` is called once per database. `params.name` is a placeholder for the value that a call
 * passes under this name. All other values are constants in the text, because databases do not use a partial index
 * (`WHERE state = 'review'`) for a bound value. Use `buildQuery` for a statement whose text depends on its values (such
 * as a list of variable length).
 */
export function statement<Params extends object, Row>(
  build: (builder: Kysely<Tables>, callParams: Params, dialect: Dialect) => Compilable<Row>,
): StoreStatement<Params, Row> {
  const compiled = new Map<Dialect, CompiledStatement>()
  const compileFor = (dialect: Dialect): CompiledStatement => {
    const cached = compiled.get(dialect)
    if (cached !== undefined) return cached
    const { sql, parameters } = build(
      dialect.builder.withPlugin(CONSTANTS_PLUGIN),
      PLACEHOLDERS as Params,
      dialect,
    ).compile()
    const names = parameters.map((parameter) => {
      assert(parameter instanceof Placeholder, `a statement binds a constant: ${sql}`)
      return parameter.name
    })
    const compiledStatement = { text: sql, names }
    compiled.set(dialect, compiledStatement)
    return compiledStatement
  }
  definedStatements.push((dialect) => compileFor(dialect).text)
  const bindParams = (sql: Sql, callParams: Params | undefined): readonly [string, unknown[]] => {
    const { text, names } = compileFor(sql.dialect)
    const values = (callParams ?? {}) as Readonly<Record<string, unknown>>
    return [text, names.map((name) => values[name])]
  }
  return {
    get(sql, ...callParams) {
      const [text, params] = bindParams(sql, callParams[0])
      return sql<Row>(text).get(...params)
    },
    all(sql, ...callParams) {
      const [text, params] = bindParams(sql, callParams[0])
      return sql<Row>(text).all(...params)
    },
    run(sql, ...callParams) {
      const [text, params] = bindParams(sql, callParams[0])
      return sql<Row>(text).run(...params)
    },
    check(sql, ...callParams) {
      const [text, params] = bindParams(sql, callParams[0])
      sql.batch?.check(text, ...params)
    },
    sendLast(sql, callParams, contendedRow) {
      if (sql.batch === null) return
      const [text, params] = bindParams(sql, callParams)
      sql.batch.sendLast(contendedRow, text, params)
    },
    predict(sql, callParams, rows) {
      if (sql.batch === null) return
      const [text, params] = bindParams(sql, callParams)
      sql.batch.predict(text, params, rows)
    },
  }
}

/**
 * Builds a query for one call, such as a list with the user's filters. Values are bound; if an index depends on a
 * constant, write the constant with `raw.lit`.
 */
export function buildQuery<Row>(
  sql: Sql,
  build: (builder: Kysely<Tables>, dialect: Dialect) => Compilable<Row>,
): { get(): Promise<Row | undefined>; all(): Promise<Row[]>; run(): WriteResult } {
  const { sql: text, parameters } = build(sql.dialect.builder, sql.dialect).compile()
  const prepared = sql<Row>(text)
  return {
    get: () => prepared.get(...parameters),
    all: () => prepared.all(...parameters),
    run: () => prepared.run(...parameters),
  }
}

/** `names`: the names of the values to bind, in the order of the text. */
type CompiledStatement = { readonly text: string; readonly names: readonly string[] }
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}
const PLACEHOLDERS: object = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })

/** Writes constants into the text, and keeps the values of a call as parameters. */
class ConstantInliner extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return toValueNode(node.value)
  }
  protected override transformPrimitiveValueList(
    node: PrimitiveValueListNode,
  ): PrimitiveValueListNode {
    // Kysely's compiler dispatches on `kind`, and accepts either list wherever one can occur.
    return ValueListNode.create(node.values.map(toValueNode)) as unknown as PrimitiveValueListNode
  }
}
const toValueNode = (value: unknown): ValueNode =>
  value instanceof Placeholder ? ValueNode.create(value) : ValueNode.createImmediate(value)
const transformer = new ConstantInliner()
const CONSTANTS_PLUGIN: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
  transformResult: ({ result }) => Promise.resolve(result),
}
