/** Reconciles bank statements: matches lines, confirms matches in bulk, and stores settlements. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  allowedActs,
  err,
  fromRupees,
  isDay,
  keysIn,
  maySee,
  ok,
  paise,
  readStatement,
  reconcile,
  REFERENCE_CHARACTERS_MAX,
  bankKey,
  referencesIn,
  rupees,
} from '../../../engine/index.ts'
import type {
  Awaited,
  Day,
  EventConfig,
  Instant,
  Person,
  Reconciled,
  Result,
  StatementColumns,
} from '../../../engine/index.ts'
import type { BulkAnswer, ReconcileAnswer } from '../../../engine/api.ts'
import { bulkAnswer, doEach } from '../registrations/bulk-actions.ts'
import type { ActionHandler } from '../../registration/actions/action-input.ts'
import { alsoIn, cameAgain, confirm } from '../../registration/actions/record-payment.ts'
import type { Deps } from '../../dependencies.ts'
import { refuse } from '../../http/error-response.ts'
import { recordOf } from '../../http/request-input.ts'
import type { NewUnmatched, ReferenceReport, Store } from '../../storage/index.ts'
import { COLUMN_NAMES, statementColumnsIn } from './column-mapping.ts'
import type { StatedColumns } from './column-mapping.ts'
import { STATEMENT_LIMITS } from '../spreadsheets/parse-csv.ts'
import type { CsvLine } from '../spreadsheets/parse-csv.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { settlementAccounts } from './settlement-account.ts'
import { matchSettlements, settlementIn } from './match-settlements.ts'
import { keepReport, wireSettlement } from './settlement-import.ts'
import { registrationsNamed, viewerOf } from './registration-numbers-in-statement.ts'
import type { OtherEvents } from './registration-numbers-in-statement.ts'
import { waysPricedOnCredit } from '../../payments/price-on-credit-date.ts'
import { pricedByDay } from '../../payments/price-on-credit-date.ts'
import { readSheet } from '../spreadsheets/read-spreadsheet.ts'
import { confirmedText, keptText } from './statement-result-messages.ts'
import { XLSX_TYPE } from '../spreadsheets/write-excel.ts'

/** A statement with its matches. */
export type Statement = {
  readonly lines: readonly Reconciled[]
  /** Payment claims whose money is in no line. */
  readonly waiting: readonly Awaited[]
  readonly unread: readonly number[]
  readonly repeated: readonly { readonly line: number; readonly first: number }[]
  readonly byNumber: ReadonlyMap<string, Awaited>
}
type NotLaid =
  | { readonly code: 'columns_unknown'; readonly header: readonly string[] }
  | { readonly code: 'too_many_numbers'; readonly message: string }

/** Matches a statement without writing anything. `columns` null: by the column headings. */
export async function layBeside(
  store: Pick<Store, 'awaited' | 'knownReferences' | 'accountsOfEvent'>,
  event: EventConfig,
  rows: readonly CsvLine[],
  columns: StatementColumns | null,
  others: OtherEvents = { all: [], user: { events: null } },
): Promise<Result<Statement, NotLaid>> {
  const read = readStatement(rows, columns)
  if (!read.ok) return read
  const { unread, repeated } = read.value
  const { id: eventId, methods } = event
  const keys = referencesIn(read.value)
  if (keys === null) return err({ code: 'too_many_numbers', message: TOO_MANY_NUMBERS })
  const [stored, known, gateway] = await Promise.all([
    store.awaited(eventId, waysPricedOnCredit(event)),
    store.knownReferences(keys),
    settlementAccounts(store, event),
  ])
  const accounts = gateway === null ? [] : [gateway.of, ...gateway.former]
  const awaited = stored.map((one) => pricedByDay(event, one))
  const here = known.reports.filter((one) => one.eventId === eventId)
  const elsewhere = known.reports.filter((one) => one.eventId !== eventId)
  const keysOf = (reports: readonly ReferenceReport[]) => new Set(reports.map(({ key }) => key))
  const found = reconcile(read.value, awaited, {
    payments: new Map(known.payments),
    payouts: new Map(
      known.payouts.filter(([, { source, account }]) =>
        accounts.some((one) => one.source === source && one.account === account),
      ),
    ),
    ...registrationsNamed(keys, known.registrations, event, others),
    reports: Map.groupBy(here, ({ key }) => key),
    claimedElsewhere: keysOf(elsewhere.filter(({ isReleased }) => !isReleased)),
    releasedElsewhere: keysOf(elsewhere.filter(({ isReleased }) => isReleased)),
    eventId,
    details: detailsOf(methods),
  })
  const named = new Set(found.flatMap(({ of }) => of))
  return ok({
    lines: found,
    waiting: awaited.filter(({ regNo, told }) => told !== null && !named.has(regNo)),
    unread,
    repeated,
    byNumber: new Map(
      [...here.map(withoutDue), ...awaited].map((one) => [one.regNo, one] as const),
    ),
  })
}

/** Texts that contain the conference's own bank details. */
const detailsOf = (methods: EventConfig['methods']): readonly string[] =>
  methods.flatMap((way) => (way.is === 'transfer' ? [way.instructions] : []))

const TOO_MANY_NUMBERS = 'This file has too many numbers. Upload a statement for a shorter period.'

/** A registration that reported the reference but expects no payment. */
const withoutDue = ({ regNo, name, reference, day }: ReferenceReport): Awaited => ({
  regNo,
  name,
  due: paise(0),
  told: { reference, day },
})

export async function reconcileRoutes(
  app: FastifyInstance,
  office: OfficeRoutes,
  deps: Deps,
): Promise<void> {
  /** Loads the uploaded sheet; null: the request was refused. */
  const loaded = async ({ file }: SheetCall, reply: FastifyReply): Promise<Loaded | null> => {
    reply.header('cache-control', 'no-store')
    if (file === null) refuse(reply, 415, 'not_csv', 'Upload a CSV or Excel file.')
    else {
      const rows = await readSheet(file, STATEMENT_LIMITS)
      if (rows.ok) return { file, rows: rows.value }
      const { code, message } = rows.error
      refuse(reply, code === 'busy' ? 503 : 422, code, message)
    }
    return null
  }

  const look = async (call: SheetCall, reply: FastifyReply): Promise<FastifyReply> => {
    const given = await loaded(call, reply)
    if (given === null) return reply
    const { admin, query } = call
    const event = call.target.config
    const { rows } = given
    const accounts = await settlementAccounts(deps.store, event)
    const settlement = settlementIn(accounts, rows, query)
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
      const laid = await matchSettlements(deps, of, report, viewerOf(deps, admin))
      const answer: ReconcileAnswer = {
        status: 'success',
        settlement: wireSettlement(event, laid),
      }
      return reply.send(answer)
    }
    const columns = statementColumnsIn(query)
    const laid = await layBeside(deps.store, event, rows, columns, viewerOf(deps, admin))
    if (!laid.ok) {
      if (laid.error.code === 'too_many_numbers')
        return refuse(reply, 422, laid.error.code, laid.error.message)
      const asked: ReconcileAnswer = { status: 'success', header: [...laid.error.header] }
      return reply.send(asked)
    }
    await deps.store.audit({ ...looked, what: 'laid a bank statement beside the registrations' })
    await reportReturns(deps, admin, laid.value)
    return reply.send(wireOf(await shownTo(deps, admin, laid.value)))
  }

  const keep = async (call: SheetCall, reply: FastifyReply): Promise<FastifyReply> => {
    const given = await loaded(call, reply)
    if (given === null) return reply
    const { admin, query } = call
    const event = call.target.config
    const { rows, file } = given
    const accounts = await settlementAccounts(deps.store, event)
    const settlement = settlementIn(accounts, rows, query)
    if (settlement === null)
      return refuse(reply, 422, 'not_settlement', 'This is not a settlement report of the gateway.')
    const who = admin.username
    const { of, report } = settlement
    const said = { file, lines: report.lines, who }
    const kept = await keepReport(deps, event, of.of, said, viewerOf(deps, admin))
    return reply.send(kept)
  }

  const confirmAll = async (
    { admin, target, body }: Call<'statement', never, 'keep'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { id: eventId, methods } = target.served.config
    const sent = unmatchedIn(listIn(body.keep), eventId, admin.username, deps.clock())
    const own = detailsOf(methods).flatMap((text) => [...keysIn(text)])
    const kept = sent?.map((line) => ({ ...line, own })) ?? null
    if (kept === null)
      return refuse(reply, 422, 'bad_data', 'A line needs a reference, an amount and a date.')
    const done = await doEach(
      deps,
      admin,
      target.rows.map((row) => ({ ...row, words: { ...row.words, way: 'transfer' } })),
      { act: 'confirm', why: 'By the bank’s statement', doer: confirmOrAgain, eventId },
    )
    const differing = await inReviewOf(deps, done.done)
    const confirmed = { ...bulkAnswer(done, 'confirmed'), message: confirmedText(done, differing) }
    const alsoKept =
      kept.length === 0 ? '' : keptText(kept.length, await deps.store.keepUnmatched(kept))
    const answer: BulkAnswer =
      kept.length === 0
        ? confirmed
        : {
            ...confirmed,
            message: target.rows.length === 0 ? alsoKept : `${confirmed.message} ${alsoKept}`,
          }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  await app.register(async (scope) => {
    scope.addContentTypeParser(
      ['text/csv', XLSX_TYPE],
      async (_request: FastifyRequest, payload: NodeJS.ReadableStream) => {
        const body = await app.bodies.read(payload as never, STATEMENT_LIMITS.bytesMax)
        if (body.ok) return body.value
        throw Object.assign(new Error(body.error), {
          statusCode: body.error === 'too_large' ? 413 : 400,
        })
      },
    )
    const routes = office.in(scope)
    const sheet = { least: 'treasurer', about: 'event', query: COLUMN_NAMES } as const
    routes.post('/admin/reconcile', sheet, look)
    routes.post('/admin/reconcile/keep', sheet, keep)
    routes.post(
      '/admin/reconcile/confirm',
      { least: 'treasurer', about: 'statement', body: { keep: 'list' } },
      confirmAll,
    )
  })
}

/** Counts confirmed payments that need review, because the amount differs from the balance. */
async function inReviewOf(
  { store }: Pick<Deps, 'store'>,
  regNos: readonly string[],
): Promise<number> {
  const found = await Promise.all(regNos.map((regNo) => store.registration(regNo)))
  return found.filter((one) => one?.inReview === true).length
}

/** Returned transfers stay in the work queue, so that they do not depend on a user reading this response. */
async function reportReturns(
  { store }: Pick<Deps, 'store'>,
  user: Pick<Person, 'events'>,
  { lines }: Statement,
): Promise<void> {
  const returned = lines.flatMap(({ line, reference, returns = [] }) =>
    returns
      .filter(({ eventId = null }) => eventId !== null && maySee(user, eventId))
      .map(({ id }) => ({
        captureId: id,
        reference,
        amount: line.amount,
        day: line.day,
        narration: line.narration,
      })),
  )
  if (returned.length > 0) await store.reportReturned(returned)
}

/** Hides the registration of a line if it belongs to an event that the user does not work for. */
async function shownTo(
  { store }: Pick<Deps, 'store'>,
  user: Pick<Person, 'events'>,
  statement: Statement,
): Promise<Statement> {
  const named = new Set(statement.lines.flatMap(({ of }) => of))
  const others = [...named].filter((regNo) => !statement.byNumber.has(regNo))
  const found = await Promise.all(others.map((regNo) => store.registration(regNo)))
  const hidden = new Set(
    found.flatMap((one) => (one === null || maySee(user, one.eventId) ? [] : [one.regNo])),
  )
  const lines = statement.lines.map((line) => ({
    ...line,
    of: line.of.filter((regNo) => !hidden.has(regNo)),
  }))
  return { ...statement, lines }
}

/** A transfer that a delegate reported arrives late: an extra payment for a registration that expects none. */
const confirmOrAgain: ActionHandler = (asked) =>
  allowedActs(asked.registration.state, asked.wanted.actor).includes('came_again')
    ? cameAgain({ ...asked, wanted: { ...asked.wanted, act: 'came_again' } })
    : confirm(asked)

function wireOf({ lines, waiting, unread, repeated, byNumber }: Statement): ReconcileAnswer {
  const shown = (one: Awaited, day?: Day) => ({
    reg_no: one.regNo,
    name: one.name,
    due: rupees((day === undefined ? null : one.dueOn?.(day)) ?? one.due),
    reference: one.told?.reference ?? null,
  })
  return {
    status: 'success',
    header: null,
    lines: lines.map(({ line, reference, also, as, of, payout, why }) => ({
      line: line.line,
      day: line.day,
      narration: line.narration,
      reference,
      also: [...also],
      amount: rupees(line.amount),
      as,
      why,
      payout:
        payout === null ? null : { utr: payout.utr, lines: payout.lines, net: rupees(payout.net) },
      of: of.map((regNo) => {
        const one = byNumber.get(regNo)
        return one === undefined
          ? { reg_no: regNo, name: '', due: 0, reference: null }
          : shown(one, line.day)
      }),
    })),
    waiting: waiting.map((one) => shown(one)),
    unread: [...unread],
    repeated: [...repeated],
  }
}

type SheetCall = Call<'event', keyof StatedColumns>
type Loaded = {
  readonly file: Buffer
  readonly rows: readonly CsvLine[]
}

const NARRATION_CHARACTERS_MAX = 300

/** Parses unmatched payments that a user wants to keep; null: one of them is incomplete. */
function unmatchedIn(
  lines: readonly unknown[],
  eventId: string,
  who: string,
  at: Instant,
): readonly NewUnmatched[] | null {
  const read = lines.map(recordOf).flatMap(({ reference, also, amount, day, narration }) => {
    const came = fromRupees(amount)
    const isWhole =
      typeof reference === 'string' &&
      bankKey(reference) !== '' &&
      reference.length <= REFERENCE_CHARACTERS_MAX &&
      typeof narration === 'string' &&
      came !== null &&
      came > 0 &&
      typeof day === 'string' &&
      isDay(day)
    const text = typeof narration === 'string' ? narration.slice(0, NARRATION_CHARACTERS_MAX) : ''
    const others = alsoIn(also)
    return isWhole && others !== null
      ? [{ reference, also: others, amount: came, day, narration: text, eventId, who, at }]
      : []
  })
  return read.length === lines.length ? read : null
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
