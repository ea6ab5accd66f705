/** The calls for a bank's statement: what of it is for whom, and confirming what fits in one go. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  COLUMN_NAMES,
  err,
  ok,
  readStatement,
  reconcile,
  referencesIn,
  rupees,
} from '../../engine/index.ts'
import type {
  Awaited,
  BulkAnswer,
  ReconcileAnswer,
  Reconciled,
  Result,
  StatementColumns,
} from '../../engine/index.ts'
import { bulkAnswer, doEach } from '../acting/bulk.ts'
import { confirm } from '../acting/confirming.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../http/refuse.ts'
import type { Store } from '../store/store.ts'
import { readLines } from './csv-lines.ts'
import { requireAdmin } from './guard.ts'
import { queryOf } from './lists.ts'

/** A year of a busy account. */
const STATEMENT_BYTES_MAX = 2 * 1024 * 1024
/** More than a year of a busy account; each is laid beside every registration that waits. */
const STATEMENT_LINES_MAX = 5_000

/** What of a statement is for whom. */
export type Statement = {
  readonly lines: readonly Reconciled[]
  /** Who told us of money that is in no line. */
  readonly waiting: readonly Awaited[]
  readonly unread: readonly number[]
  readonly byNumber: ReadonlyMap<string, Awaited>
}
export type StatementRefusal =
  | { readonly code: 'columns_unknown'; readonly header: readonly string[] }
  | { readonly code: 'not_csv'; readonly message: string }
  | { readonly code: 'too_long'; readonly message: string }

/** Reads and writes nothing. `columns` null: by the heads. */
export async function layBeside(
  store: Pick<Store, 'awaited' | 'knownReferences'>,
  eventId: string,
  text: string,
  columns: StatementColumns | null,
): Promise<Result<Statement, StatementRefusal>> {
  const rows = readLines(text, 'loose')
  if (!rows.ok) return err({ code: 'not_csv', message: rows.error.message })
  if (rows.value.length > STATEMENT_LINES_MAX)
    return err({
      code: 'too_long',
      message: `This statement has ${rows.value.length} lines; at most ${STATEMENT_LINES_MAX} are read at a time. Please load a shorter one.`,
    })
  const read = readStatement(rows.value, columns)
  if (!read.ok) return read
  const { lines, unread } = read.value
  const awaited = await store.awaited(eventId)
  const known = new Map(await store.knownReferences(lines.flatMap(referencesIn)))
  const found = reconcile(lines, awaited, known)
  const named = new Set(found.flatMap(({ of }) => of))
  return ok({
    lines: found,
    waiting: awaited.filter(({ regNo, told }) => told !== null && !named.has(regNo)),
    unread,
    byNumber: new Map(awaited.map((one) => [one.regNo, one])),
  })
}

export async function reconcileRoutes(
  app: FastifyInstance,
  deps: Deps,
  paths: (path: string) => readonly string[],
): Promise<void> {
  const look = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const admin = await requireAdmin(deps, request, reply)
    if (admin === null) return reply
    const query = queryOf(request)
    const event = deps.events.byId(query.get('event') ?? '')?.config
    if (event === undefined)
      return refuse(reply, 404, 'not_found', 'There is no event of this name.')
    if (typeof request.body !== 'string')
      return refuse(reply, 415, 'not_csv', 'Please send the statement as CSV.')
    const laid = await layBeside(deps.store, event.id, request.body, columnsIn(query))
    reply.header('cache-control', 'no-store')
    if (!laid.ok) {
      const { error } = laid
      if (error.code !== 'columns_unknown') return refuse(reply, 422, error.code, error.message)
      const asked: ReconcileAnswer = { status: 'success', header: [...error.header] }
      return reply.send(asked)
    }
    await deps.store.audit({
      at: deps.clock(),
      who: admin.username,
      what: 'laid a bank statement beside the registrations',
      eventId: event.id,
      regNo: null,
      look: 'statement',
    })
    return reply.send(wireOf(laid.value))
  }

  const confirmAll = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const admin = await requireAdmin(deps, request, reply)
    if (admin === null) return reply
    const body = recordOf(request.body)
    const eventId = body['event']
    const lines = listIn(body['lines']).map(recordOf)
    const done = await doEach(
      deps,
      admin,
      lines.map((words) => ({
        regNo: String(words['reg_no'] ?? ''),
        words: { ...words, way: 'transfer' },
      })),
      { act: 'confirm', why: 'By the bank’s statement', doer: confirm, eventId: String(eventId) },
    )
    const answer: BulkAnswer = bulkAnswer(done, 'confirmed')
    return reply.header('cache-control', 'no-store').send(answer)
  }

  await app.register(async (scope) => {
    scope.addContentTypeParser(
      'text/csv',
      async (_request: FastifyRequest, payload: NodeJS.ReadableStream) => {
        const body = await app.bodies.read(payload as never, STATEMENT_BYTES_MAX)
        if (body.ok) return body.value.toString('utf8')
        throw Object.assign(new Error(body.error), {
          statusCode: body.error === 'too_large' ? 413 : 400,
        })
      },
    )
    for (const path of paths('/admin/reconcile'))
      scope.post(path, { config: { office: { least: 'treasurer', about: 'event' } } }, look)
    for (const path of paths('/admin/reconcile/confirm'))
      scope.post(path, { config: { office: { least: 'treasurer', about: 'event' } } }, confirmAll)
  })
}

function wireOf({ lines, waiting, unread, byNumber }: Statement): ReconcileAnswer {
  const shown = (one: Awaited) => ({
    reg_no: one.regNo,
    name: one.name,
    due: rupees(one.due),
    reference: one.told?.reference ?? null,
  })
  return {
    status: 'success',
    header: null,
    lines: lines.map(({ line, reference, as, of }) => ({
      line: line.line,
      day: line.day,
      narration: line.narration,
      reference,
      amount: rupees(line.amount),
      as,
      of: of.map((regNo) => {
        const one = byNumber.get(regNo)
        return one === undefined ? { reg_no: regNo, name: '', due: 0, reference: null } : shown(one)
      }),
    })),
    waiting: waiting.map(shown),
    unread: [...unread],
  }
}

/** As somebody said them: whole numbers from 0; null: nobody did. */
function columnsIn(query: URLSearchParams): StatementColumns | null {
  const at = (name: string): number | null => {
    const said = query.get(name)
    return said !== null && /^\d{1,3}$/.test(said) ? Number(said) : null
  }
  const [date, narration, reference, credit, amount, sign] = COLUMN_NAMES.map(at)
  if (date == null || narration == null || (credit == null && (amount == null || sign == null)))
    return null
  return {
    date,
    narration,
    reference: reference ?? null,
    credit: credit ?? null,
    amount: amount ?? null,
    sign: sign ?? null,
  }
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
