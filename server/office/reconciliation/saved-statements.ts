/** Serves saved bank statements: upload, list, one statement, and the decisions on its lines. */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type {
  StatementDecisionResponse,
  StatementRemovedResponse,
  StatementResponse,
  StatementUploadResponse,
  StatementsResponse,
} from '../../../engine/api.ts'
import {
  INR,
  canSee,
  findStatementReferences,
  readStatement,
  RECONCILIATION_ROWS,
} from '../../../engine/index.ts'
import type { Currency, Day, EventConfig, StatementLine } from '../../../engine/index.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import { asRecord } from '../../http/request-input.ts'
import type {
  BankStatementSummary,
  StatementRow,
  StoredBankStatement,
} from '../../storage/index.ts'
import { findUserEvents, getViewedEventId } from '../auth/authorization.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { addEventEntries } from '../operations/audit-log.ts'
import { STATEMENT_LIMITS } from '../spreadsheets/parse-csv.ts'
import { readSheet } from '../spreadsheets/read-spreadsheet.ts'
import { XLSX_TYPE } from '../spreadsheets/write-excel.ts'
import { COLUMN_NAMES, getStatementCurrency, readStatementColumns } from './column-mapping.ts'
import type { ColumnParams } from './column-mapping.ts'
import { assignLines, markLines, readChoice, sendLinesToReview } from './decide-statement-lines.ts'
import type { Choice } from './decide-statement-lines.ts'
import { TOO_MANY_NUMBERS_MESSAGE } from './match-statement.ts'
import type { StatementLines } from './match-statement.ts'
import { readReportedSettlement } from './match-settlements.ts'
import { loadSettlementAccounts } from './settlement-account.ts'
import { saveMatches } from './statement-matches.ts'
import { toWireStatement, toWireSummary, viewStatement } from './statement-view.ts'
import type { ViewedStatement } from './statement-view.ts'

/** Larger than every id, for the first page. */
const NEWEST_ID = Number.MAX_SAFE_INTEGER
/** Used as the period of a file without lines. */
const NO_DAY = '' as Day
/** The maximum number of lines that one request can assign. */
const CHOICES_MAX = 500

export async function addSavedStatementRoutes(
  app: FastifyInstance,
  office: OfficeRoutes,
  deps: Deps,
): Promise<void> {
  const upload = async (
    { admin, file, query }: Call<'any', keyof ColumnParams>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    if (file === null) return sendError(reply, 415, 'not_csv', 'Upload a CSV or Excel file.')
    const rows = await readSheet(file, STATEMENT_LIMITS)
    if (!rows.ok) {
      const { code, message } = rows.error
      return sendError(reply, code === 'busy' ? 503 : 422, code, message)
    }
    const events = findUserEvents(deps, admin)
    const currency = findCurrency(events, query.statement_currency)
    if (currency === null)
      return sendError(reply, 422, 'bad_currency', 'Choose the currency of the account.')
    for (const event of events) {
      const accounts = await loadSettlementAccounts(deps.store, event)
      if ((await readReportedSettlement(deps.store, accounts, rows.value, query)) !== null)
        return sendError(
          reply,
          422,
          'settlement_report',
          'This is a settlement report of the gateway. Upload it on the page Settlements.',
        )
    }
    const statement = readStatement(rows.value, readStatementColumns(query), currency)
    if (!statement.ok) {
      const unknownColumns: StatementUploadResponse = {
        status: 'success',
        header: [...statement.error.header],
      }
      return reply.send(unknownColumns)
    }
    if (findStatementReferences(statement.value) === null)
      return sendError(reply, 422, 'too_many_numbers', TOO_MANY_NUMBERS_MESSAGE)
    const saved = await save(admin, statement.value, events)
    const stored = await deps.store.bankStatement(saved.id)
    if (stored !== null) {
      const view = await viewStatement(deps, admin, stored)
      // Links the statement's payments now, without waiting for a user to open it.
      await saveMatches(deps, admin, view)
    }
    const answer: StatementUploadResponse = { status: 'success', header: null, ...saved }
    return reply.send(answer)
  }

  /** Returns the existing statement if a user with access to it uploads the same file again. */
  const save = async (
    admin: Call['admin'],
    statement: StatementLines & Pick<StoredBankStatement, 'unread' | 'repeated'>,
    events: readonly EventConfig[],
  ): Promise<{ readonly id: number; readonly is_new: boolean }> => {
    const { currency, lines, withdrawals, details, unread, repeated } = statement
    const toRows = (ofKind: readonly StatementLine[], isWithdrawal: boolean) =>
      ofKind.map((line) => ({ ...line, isWithdrawal }))
    const rows: readonly StatementRow[] = [...toRows(lines, false), ...toRows(withdrawals, true)]
    const sha256 = createHash('sha256')
      .update(JSON.stringify([rows, details, unread]))
      .digest('hex')
    const known = await deps.store.statementsWithHash(sha256, currency)
    const visible = known.find((stored) => isVisible(admin, stored))
    if (visible !== undefined) return { id: visible.id, is_new: false }
    const days = rows.map(({ day }) => day).toSorted()
    const id = await deps.store.saveBankStatement({
      sha256,
      currency,
      events: events.map((event) => event.id),
      bank: describeAccount(details),
      firstDay: days[0] ?? NO_DAY,
      lastDay: days.at(-1) ?? NO_DAY,
      details,
      unread,
      repeated,
      rows,
      who: admin.username,
      at: deps.clock(),
    })
    await addEventEntries(
      deps,
      { who: admin.username, what: 'uploaded a bank statement' },
      events.map((event) => event.id),
    )
    return { id, is_new: true }
  }

  const list = async (
    { admin, query }: Call<'any', 'before'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const statements: BankStatementSummary[] = []
    let before: number | null = /^\d{1,15}$/.test(query.before) ? Number(query.before) : NEWEST_ID
    while (before !== null && statements.length < RECONCILIATION_ROWS) {
      const page: readonly BankStatementSummary[] = await deps.store.bankStatements(
        before,
        RECONCILIATION_ROWS,
      )
      statements.push(...page.filter((statement) => isVisible(admin, statement)))
      before = page.length < RECONCILIATION_ROWS ? null : (page.at(-1)?.id ?? null)
    }
    const answer: StatementsResponse = {
      status: 'success',
      statements: statements.map(toWireSummary),
      before,
    }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  const show = async (
    { admin, target, query }: Call<'bank statement', 'since'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const stamp = await deps.store.newestDecision(target.statement.id)
    const unchanged: StatementResponse = { status: 'success', unchanged: true }
    if (query.since === String(stamp)) return reply.send(unchanged)
    const view = await viewStatement(deps, admin, target.statement)
    await saveMatches(deps, admin, view)
    if (query.since === '')
      await deps.store.addAuditEntry({
        at: deps.clock(),
        who: admin.username,
        what: 'viewed a bank statement',
        eventId: getViewedEventId(admin),
        regNo: null,
        look: 'statement',
      })
    return reply.send(toWireStatement(view, stamp, admin))
  }

  const assign = async (
    { admin, target }: Call<'bank statement'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const rows = target.rows.flatMap((row) => {
      const choice = readChoice(row.fields)
      return choice === null ? [] : [{ choice, row }]
    })
    if (rows.length === 0 || rows.length !== target.rows.length)
      return sendError(reply, 422, 'bad_data', 'Name a line and a registration for each part.')
    const view = await viewStatement(deps, admin, target.statement)
    const outcome = await assignLines({ deps, admin, view }, rows)
    return sendOutcome(reply, outcome, ASSIGNED_TEXT, admin, target.statement)
  }

  const decide = async (
    { admin, target, body }: Call<'bank statement', never, 'decision' | 'choices'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const sent: readonly unknown[] = Array.isArray(body.choices) ? body.choices : []
    const choices = sent.map(asRecord).flatMap((fields): Choice[] => {
      const choice = readChoice(fields)
      return choice === null ? [] : [choice]
    })
    const { decision } = body
    if (sent.length === 0 || choices.length !== sent.length || sent.length > CHOICES_MAX)
      return sendError(reply, 422, 'bad_data', `Name 1 to ${CHOICES_MAX} lines.`)
    const isKnown = decision === 'review' || decision === 'not_ours' || decision === 'undone'
    if (!isKnown)
      return sendError(reply, 422, 'decision_unknown', 'Choose a decision for the lines.')
    const view = await viewStatement(deps, admin, target.statement)
    const task = { deps, admin, view }
    const outcome =
      decision === 'review'
        ? await sendLinesToReview(task, choices)
        : await markLines(task, choices, decision)
    return sendOutcome(reply, outcome, DECISION_TEXTS[decision], admin, target.statement)
  }

  const remove = async (
    { admin, target }: Call<'bank statement'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const { id, bank, currency, firstDay, lastDay, events } = target.statement
    const removed = await deps.store.removeBankStatement({
      id,
      name: [bank, currency, firstDay, lastDay].filter(Boolean).join(', '),
      events,
      who: admin.username,
      at: deps.clock(),
    })
    if (!removed.ok) {
      const lines = removed.error === 1 ? '1 line has' : `${removed.error} lines have`
      return sendError(
        reply,
        409,
        'has_matches',
        `${lines} a recorded payment or a decision, so the statement cannot be removed. A line marked as not ours can be reopened first.`,
      )
    }
    const answer: StatementRemovedResponse = { status: 'success', message: 'Statement removed.' }
    return reply.send(answer)
  }

  const sendOutcome = async (
    reply: FastifyReply,
    { done, refused }: Omit<StatementDecisionResponse, 'status' | 'message'>,
    text: string,
    admin: Call['admin'],
    statement: ViewedStatement['statement'],
  ): Promise<FastifyReply> => {
    const view = await viewStatement(deps, admin, statement)
    await saveMatches(deps, admin, view)
    const count = describeDecided(done, text, view)
    const message =
      refused.length === 0 ? `${count}.` : `${count}; ${refused.length} not, for the reasons below.`
    const answer: StatementDecisionResponse = { status: 'success', message, done, refused }
    return reply.header('cache-control', 'no-store').send(answer)
  }

  office.get('/admin/statements', { least: 'treasurer', about: 'any', query: ['before'] }, list)
  office.get(
    '/admin/statements/:statement',
    { least: 'treasurer', about: 'bank statement', query: ['since'] },
    show,
  )
  office.post(
    '/admin/statements/:statement/assign',
    { least: 'treasurer', about: 'bank statement' },
    assign,
  )
  office.post(
    '/admin/statements/:statement/decide',
    {
      least: 'treasurer',
      about: 'bank statement',
      body: { decision: 'text', choices: 'list' },
    },
    decide,
  )
  office.post(
    '/admin/statements/:statement/remove',
    { least: 'treasurer', about: 'bank statement' },
    remove,
  )
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
    office
      .in(scope)
      .post('/admin/statements', { least: 'treasurer', about: 'any', query: COLUMN_NAMES }, upload)
  })
}

const ASSIGNED_TEXT = 'assigned'
const DECISION_TEXTS = {
  review: 'sent to review',
  not_ours: 'marked as not ours',
  undone: 'reopened',
} as const

/**
 * “2 lines assigned, 1 line sent to review because the amount differs”: staff must not think that the second is paid.
 */
function describeDecided(
  done: readonly number[],
  text: string,
  { lines }: ViewedStatement,
): string {
  const count = (n: number): string => `${n} ${n === 1 ? 'line' : 'lines'}`
  const differing =
    text === ASSIGNED_TEXT
      ? lines.filter(({ stored, state }) => state === 'review' && done.includes(stored.id)).length
      : 0
  if (differing === 0) return `${count(done.length)} ${text}`
  return [
    ...(done.length > differing ? [`${count(done.length - differing)} ${text}`] : []),
    `${count(differing)} sent to review because the amount differs`,
  ].join(', ')
}

/** A statement shows the payers of all events of the user who uploaded it. */
const isVisible = (admin: Call['admin'], { events }: BankStatementSummary): boolean =>
  events.every((id) => canSee(admin, id))

/**
 * Returns the chosen currency, if an event uses it. Without a choice, returns rupees, or the only currency of the
 * events.
 */
function findCurrency(events: readonly EventConfig[], chosen: string): Currency | null {
  if (chosen !== '')
    return events.flatMap((event) => getStatementCurrency(event, chosen) ?? [])[0] ?? null
  const currencies = new Set(events.map(({ currency }) => currency))
  return currencies.size === 1 ? ([...currencies][0] ?? null) : currencies.has(INR) ? INR : null
}

/** Describes the account by the bank and the last digits, from the text above the table. */
function describeAccount(details: readonly string[]): string {
  const text = details.join('\n')
  const bank =
    /\b(?:[A-Z][A-Za-z&]+ ){1,3}bank\b(?: of [A-Z][a-z]+)?|\bbank of [A-Z][a-z]+/i.exec(
      text,
    )?.[0] ?? ''
  const number = /\b(?:a\/?c|account)[^\d\n]{0,20}[\dXx*]*(\d{4})\b/i.exec(text)?.[1]
  return [bank.trim().slice(0, 60), number === undefined ? '' : `…${number}`]
    .filter(Boolean)
    .join(' ')
}
