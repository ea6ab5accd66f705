/** The calls for what a bank or a gateway says that came: what of it is for whom, confirming what fits in one go, and keeping a settlement. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  fromRupees,
  isDay,
  ok,
  readSettlement,
  readStatement,
  reconcile,
  referencesIn,
  rupees,
} from '../../engine/index.ts'
import type {
  Awaited,
  BulkAnswer,
  EventConfig,
  Instant,
  ReconcileAnswer,
  Reconciled,
  Result,
  Settlement,
  StatementColumns,
} from '../../engine/index.ts'
import { bulkAnswer, doEach } from '../acting/bulk.ts'
import { confirm } from '../acting/confirming.ts'
import type { Deps } from '../deps.ts'
import { refuse } from '../http/refuse.ts'
import type { NewUnmatched, SettlementAccount, Store } from '../store/store.ts'
import { settlementColumnsIn, statementColumnsIn } from './columns.ts'
import type { CsvLine } from './csv-lines.ts'
import { requireAdmin } from './guard.ts'
import { queryOf } from './lists.ts'
import type { Admin } from './session.ts'
import { keepReport, layAccount, settlementAccount, wireSettlement } from './settlements.ts'
import { readSheet, SHEET_BYTES_MAX } from './sheets.ts'
import { XLSX_TYPE } from './xlsx.ts'

/** What of a statement is for whom. */
export type Statement = {
  readonly lines: readonly Reconciled[]
  /** Who told us of money that is in no line. */
  readonly waiting: readonly Awaited[]
  readonly unread: readonly number[]
  readonly byNumber: ReadonlyMap<string, Awaited>
}
type ColumnsUnknown = { readonly code: 'columns_unknown'; readonly header: readonly string[] }

/** Reads and writes nothing. `columns` null: by the heads. */
export async function layBeside(
  store: Pick<Store, 'awaited' | 'knownReferences' | 'payoutsNamed'>,
  eventId: string,
  rows: readonly CsvLine[],
  columns: StatementColumns | null,
): Promise<Result<Statement, ColumnsUnknown>> {
  const read = readStatement(rows, columns)
  if (!read.ok) return read
  const { lines, unread } = read.value
  const words = lines.flatMap(referencesIn)
  const [awaited, known, paidOut] = await Promise.all([
    store.awaited(eventId),
    store.knownReferences(words),
    store.payoutsNamed(words),
  ])
  const found = reconcile(lines, awaited, {
    known: new Map(known),
    payouts: new Map(paidOut.map((payout) => [payout.utr, payout])),
  })
  const named = new Set(found.flatMap(({ of }) => of))
  return ok({
    lines: found,
    waiting: awaited.filter(({ regNo, told }) => told !== null && !named.has(regNo)),
    unread,
    byNumber: new Map(awaited.map((one) => [one.regNo, one])),
  })
}

/** A report of the gateway, where the file is one; null: it is none, or no money comes through a gateway. */
export function settlementIn(
  event: EventConfig,
  rows: readonly CsvLine[],
  query: URLSearchParams = new URLSearchParams(),
): { readonly of: SettlementAccount; readonly report: Settlement } | null {
  const of = settlementAccount(event)
  if (of === null || statementColumnsIn(query) !== null) return null
  const read = readSettlement(rows, settlementColumnsIn(query))
  return read.ok ? { of, report: read.value } : null
}

export async function reconcileRoutes(
  app: FastifyInstance,
  deps: Deps,
  paths: (path: string) => readonly string[],
): Promise<void> {
  /** What was loaded, for which event and by whom; null after refusing. */
  const loaded = async (request: FastifyRequest, reply: FastifyReply): Promise<Loaded | null> => {
    const admin = await requireAdmin(deps, request, reply)
    if (admin === null) return null
    const query = queryOf(request)
    const event = deps.events.byId(query.get('event') ?? '')?.config
    reply.header('cache-control', 'no-store')
    if (event === undefined) refuse(reply, 404, 'not_found', 'There is no event of this name.')
    else if (!Buffer.isBuffer(request.body))
      refuse(reply, 415, 'not_csv', 'Please send the file as CSV or Excel.')
    else {
      const rows = await readSheet(request.body)
      if (rows.ok) return { admin, event, query, file: request.body, rows: rows.value }
      refuse(reply, 422, rows.error.code, rows.error.message)
    }
    return null
  }

  const look = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const given = await loaded(request, reply)
    if (given === null) return reply
    const { admin, event, query, rows } = given
    const settlement = settlementIn(event, rows, query)
    const looked = {
      at: deps.clock(),
      who: admin.username,
      eventId: event.id,
      regNo: null,
      look: 'statement',
    }
    if (settlement !== null) {
      const { of, report } = settlement
      await deps.store.audit({ ...looked, what: 'laid a settlement beside the money that came' })
      const laid = await layAccount(deps, of, report)
      const answer: ReconcileAnswer = {
        status: 'success',
        settlement: wireSettlement(event, laid, admin),
      }
      return reply.send(answer)
    }
    const laid = await layBeside(deps.store, event.id, rows, statementColumnsIn(query))
    if (!laid.ok) {
      const asked: ReconcileAnswer = { status: 'success', header: [...laid.error.header] }
      return reply.send(asked)
    }
    await deps.store.audit({ ...looked, what: 'laid a bank statement beside the registrations' })
    return reply.send(wireOf(laid.value))
  }

  const keep = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const given = await loaded(request, reply)
    if (given === null) return reply
    const { admin, event, query, rows, file } = given
    const settlement = settlementIn(event, rows, query)
    if (settlement === null)
      return refuse(reply, 422, 'not_settlement', 'This is no settlement report of the gateway.')
    const who = admin.username
    const { of, report } = settlement
    const kept = await keepReport(deps, event, of, { file, lines: report.lines, who })
    return reply.send(kept)
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
    const kept = unmatchedIn(listIn(body['keep']), String(eventId), admin.username, deps.clock())
    if (kept === null)
      return refuse(
        reply,
        422,
        'bad_data',
        'A line to be kept has a reference, an amount and a day.',
      )
    if (kept.length > 0 && deps.events.byId(String(eventId)) === null)
      return refuse(reply, 404, 'not_found', 'There is no event of this name.')
    const done = await doEach(
      deps,
      admin,
      lines.map((words) => ({
        regNo: String(words['reg_no'] ?? ''),
        words: { ...words, way: 'transfer' },
      })),
      { act: 'confirm', why: 'By the bank’s statement', doer: confirm, eventId: String(eventId) },
    )
    const differing = await inReviewOf(deps, done.done)
    const confirmed = { ...bulkAnswer(done, 'confirmed'), message: confirmedText(done, differing) }
    const added = kept.length === 0 ? 0 : await deps.store.keepUnmatched(kept)
    const alsoKept = keptText(added)
    const answer: BulkAnswer =
      kept.length === 0
        ? confirmed
        : {
            ...confirmed,
            message: lines.length === 0 ? alsoKept : `${confirmed.message} ${alsoKept}`,
          }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  await app.register(async (scope) => {
    scope.addContentTypeParser(
      ['text/csv', XLSX_TYPE],
      async (_request: FastifyRequest, payload: NodeJS.ReadableStream) => {
        const body = await app.bodies.read(payload as never, SHEET_BYTES_MAX)
        if (body.ok) return body.value
        throw Object.assign(new Error(body.error), {
          statusCode: body.error === 'too_large' ? 413 : 400,
        })
      },
    )
    for (const path of paths('/admin/reconcile'))
      scope.post(path, { config: { office: { least: 'treasurer', about: 'event' } } }, look)
    for (const path of paths('/admin/reconcile/keep'))
      scope.post(path, { config: { office: { least: 'treasurer', about: 'event' } } }, keep)
    for (const path of paths('/admin/reconcile/confirm'))
      scope.post(path, { config: { office: { least: 'treasurer', about: 'event' } } }, confirmAll)
  })
}

/** How many of what was confirmed are before the treasurer, because what came is not what was due. */
async function inReviewOf(
  { store }: Pick<Deps, 'store'>,
  regNos: readonly string[],
): Promise<number> {
  const found = await Promise.all(regNos.map((regNo) => store.registration(regNo)))
  return found.filter((one) => one?.inReview === true).length
}

const areOf = (count: number): string => `${count} ${count === 1 ? 'is' : 'are'}`

function confirmedText(
  { done, refused }: Pick<BulkAnswer, 'done' | 'refused'>,
  differing: number,
): string {
  const parts = [
    `${areOf(done.length - differing)} confirmed`,
    ...(differing === 0
      ? []
      : [
          `${areOf(differing)} before the treasurer because ${differing === 1 ? 'it does' : 'they do'} not fit what was due`,
        ]),
    ...(refused.length === 0 ? [] : [`${areOf(refused.length)} not, for the reasons below`]),
  ]
  return `${parts.join('; ')}.`
}

const keptText = (added: number): string =>
  `${added} ${added === 1 ? 'payment' : 'payments'} that nobody waits for ${added === 1 ? 'is' : 'are'} kept for review.`

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
    lines: lines.map(({ line, reference, as, of, payout }) => ({
      line: line.line,
      day: line.day,
      narration: line.narration,
      reference,
      amount: rupees(line.amount),
      as,
      payout:
        payout === null ? null : { utr: payout.utr, lines: payout.lines, net: rupees(payout.net) },
      of: of.map((regNo) => {
        const one = byNumber.get(regNo)
        return one === undefined ? { reg_no: regNo, name: '', due: 0, reference: null } : shown(one)
      }),
    })),
    waiting: waiting.map(shown),
    unread: [...unread],
  }
}

type Loaded = {
  readonly admin: Admin
  readonly event: EventConfig
  readonly query: URLSearchParams
  readonly file: Buffer
  readonly rows: readonly CsvLine[]
}

/** A reference is as long as the store takes one. */
const REFERENCE_CHARACTERS_MAX = 64
const NARRATION_CHARACTERS_MAX = 300

/** Money that nobody waits for, as somebody wants it kept; null: one of them is not whole. */
function unmatchedIn(
  lines: readonly unknown[],
  eventId: string,
  who: string,
  at: Instant,
): readonly NewUnmatched[] | null {
  const read = lines.map(recordOf).flatMap(({ reference, amount, day, narration }) => {
    const came = fromRupees(amount)
    const isWhole =
      typeof reference === 'string' &&
      reference !== '' &&
      reference.length <= REFERENCE_CHARACTERS_MAX &&
      typeof narration === 'string' &&
      came !== null &&
      came > 0 &&
      typeof day === 'string' &&
      isDay(day)
    const text = String(narration).slice(0, NARRATION_CHARACTERS_MAX)
    return isWhole ? [{ reference, amount: came, day, narration: text, eventId, who, at }] : []
  })
  return read.length === lines.length ? read : null
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
