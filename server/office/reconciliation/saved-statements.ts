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

/** Larger than every id: requests the first page. */
const NEWEST_ID = Number.MAX_SAFE_INTEGER
/** Used as the period of a file without lines. */
const NO_DAY = '' as Day
/** The maximum number of lines that one request can assign. */
const MAX_CHOICES = 500

export async function addSavedStatementRoutes(
  app: FastifyInstance,
  office: OfficeRoutes,
  deps: Deps,
): Promise<void> {
  const uploadStatement = async (
    { user, store, file, query }: Call<'none', keyof ColumnParams>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    if (file === null) return sendError(reply, 415, 'not_csv', 'Upload a CSV or Excel file.')
    const rows = await readSheet(file, STATEMENT_LIMITS)
    if (!rows.ok) {
      const { code, message } = rows.error
      return sendError(reply, code === 'busy' ? 503 : 422, code, message)
    }
    const events = findUserEvents(deps, user)
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
          'This is a settlement report of the gateway. Upload it on the Settlements page.',
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
    const saveResult = await saveStatement({ user, store }, statement.value, events)
    const savedStatement = await deps.store.bankStatement(saveResult.id)
    if (savedStatement !== null) {
      const view = await viewStatement(deps, user, savedStatement)
      // Links the statement's payments now, without waiting for a user to open it.
      await saveMatches(deps, user, view)
    }
    const response: StatementUploadResponse = { status: 'success', header: null, ...saveResult }
    return reply.send(response)
  }

  /** Returns the existing statement if a user with access to it uploads the same file again. */
  const saveStatement = async (
    { user, store }: Pick<Call, 'user' | 'store'>,
    statement: StatementLines & Pick<StoredBankStatement, 'unread' | 'repeated'>,
    events: readonly EventConfig[],
  ): Promise<{ readonly id: number; readonly is_new: boolean }> => {
    const { currency, lines, withdrawals, details, unread, repeated } = statement
    const toRows = (statementLines: readonly StatementLine[], isWithdrawal: boolean) =>
      statementLines.map((line) => ({ ...line, isWithdrawal }))
    const rows: readonly StatementRow[] = [...toRows(lines, false), ...toRows(withdrawals, true)]
    const sha256 = createHash('sha256')
      .update(JSON.stringify([rows, details, unread]))
      .digest('hex')
    const sameStatements = await deps.store.statementsWithHash(sha256, currency)
    const visibleStatement = sameStatements.find((stored) => isVisible(user, stored))
    if (visibleStatement !== undefined) return { id: visibleStatement.id, is_new: false }
    const days = rows.map(({ day }) => day).toSorted()
    const id = await store.saveBankStatement({
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
      who: user.username,
      at: deps.clock(),
    })
    await addEventEntries(
      deps,
      { who: user.username, what: 'uploaded a bank statement' },
      events.map((event) => event.id),
    )
    return { id, is_new: true }
  }

  const sendStatementList = async (
    { user, query }: Call<'none', 'before'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const statements: BankStatementSummary[] = []
    let before: number | null = /^\d{1,15}$/.test(query.before) ? Number(query.before) : NEWEST_ID
    while (before !== null && statements.length < RECONCILIATION_ROWS) {
      const page: readonly BankStatementSummary[] = await deps.store.bankStatements(
        before,
        RECONCILIATION_ROWS,
      )
      statements.push(...page.filter((statement) => isVisible(user, statement)))
      before = page.length < RECONCILIATION_ROWS ? null : (page.at(-1)?.id ?? null)
    }
    const response: StatementsResponse = {
      status: 'success',
      statements: statements.map(toWireSummary),
      before,
    }
    return reply.header('cache-control', 'no-store').send(response)
  }

  const sendStatement = async (
    { user, target, query }: Call<'bank statement', 'since'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const stamp = await deps.store.newestDecision(target.statement.id)
    const unchanged: StatementResponse = { status: 'success', unchanged: true }
    if (query.since === String(stamp)) return reply.send(unchanged)
    const view = await viewStatement(deps, user, target.statement)
    await saveMatches(deps, user, view)
    if (query.since === '')
      await deps.store.addAuditEntry({
        at: deps.clock(),
        who: user.username,
        what: 'viewed a bank statement',
        eventId: getViewedEventId(user),
        regNo: null,
        look: 'statement',
      })
    return reply.send(toWireStatement(view, stamp, user))
  }

  const assignStatementLines = async (
    { user, target }: Call<'bank statement'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const rows = target.rows.flatMap((row) => {
      const choice = readChoice(row.fields)
      return choice === null ? [] : [{ choice, row }]
    })
    if (rows.length === 0 || rows.length !== target.rows.length)
      return sendError(reply, 422, 'bad_data', 'Send a line and a registration for each part.')
    const view = await viewStatement(deps, user, target.statement)
    const outcome = await assignLines({ deps, user, view }, rows)
    return sendOutcome(reply, outcome, ASSIGNED_TEXT, user, target.statement)
  }

  const decideStatementLines = async (
    { user, target, body }: Call<'bank statement', never, 'decision' | 'choices'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const sentChoices: readonly unknown[] = Array.isArray(body.choices) ? body.choices : []
    const choices = sentChoices.map(asRecord).flatMap((fields): Choice[] => {
      const choice = readChoice(fields)
      return choice === null ? [] : [choice]
    })
    const { decision } = body
    if (
      sentChoices.length === 0 ||
      choices.length !== sentChoices.length ||
      sentChoices.length > MAX_CHOICES
    )
      return sendError(reply, 422, 'bad_data', `Select 1 to ${MAX_CHOICES} lines.`)
    const isKnown = decision === 'review' || decision === 'not_ours' || decision === 'undone'
    if (!isKnown)
      return sendError(reply, 422, 'decision_unknown', 'Choose a decision for the lines.')
    const view = await viewStatement(deps, user, target.statement)
    const task = { deps, user, view }
    const outcome =
      decision === 'review'
        ? await sendLinesToReview(task, choices)
        : await markLines(task, choices, decision)
    return sendOutcome(reply, outcome, DECISION_TEXTS[decision], user, target.statement)
  }

  const removeStatement = async (
    { user, store, target }: Call<'bank statement'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const { id, bank, currency, firstDay, lastDay, events } = target.statement
    const removeResult = await store.removeBankStatement({
      id,
      name: [bank, currency, firstDay, lastDay].filter(Boolean).join(', '),
      events,
      who: user.username,
      at: deps.clock(),
    })
    if (!removeResult.ok) {
      const lines = removeResult.error === 1 ? '1 line has' : `${removeResult.error} lines have`
      return sendError(
        reply,
        409,
        'has_matches',
        `${lines} a recorded payment or a decision, so the statement cannot be removed. If a line is marked as not ours, reopen it first.`,
      )
    }
    const response: StatementRemovedResponse = { status: 'success', message: 'Statement removed.' }
    return reply.send(response)
  }

  const sendOutcome = async (
    reply: FastifyReply,
    { done, refused }: Omit<StatementDecisionResponse, 'status' | 'message'>,
    text: string,
    user: Call['user'],
    statement: ViewedStatement['statement'],
  ): Promise<FastifyReply> => {
    const view = await viewStatement(deps, user, statement)
    await saveMatches(deps, user, view)
    const count = describeDecided(done, text, view)
    const message =
      refused.length === 0
        ? `${count}.`
        : `${count}; ${refused.length} failed, for the reasons below.`
    const response: StatementDecisionResponse = { status: 'success', message, done, refused }
    return reply.header('cache-control', 'no-store').send(response)
  }

  office.get(
    '/admin/statements',
    { minRole: 'treasurer', target: 'none', query: ['before'] },
    sendStatementList,
  )
  office.get(
    '/admin/statements/:statement',
    { minRole: 'treasurer', target: 'bank statement', query: ['since'] },
    sendStatement,
  )
  office.post(
    '/admin/statements/:statement/assign',
    { minRole: 'treasurer', target: 'bank statement' },
    assignStatementLines,
  )
  office.post(
    '/admin/statements/:statement/decide',
    {
      minRole: 'treasurer',
      target: 'bank statement',
      body: { decision: 'text', choices: 'list' },
    },
    decideStatementLines,
  )
  office.post(
    '/admin/statements/:statement/remove',
    { minRole: 'treasurer', target: 'bank statement' },
    removeStatement,
  )
  await app.register(async (scope) => {
    scope.addContentTypeParser(
      ['text/csv', XLSX_TYPE],
      async (_request: FastifyRequest, payload: NodeJS.ReadableStream) => {
        const body = await app.bodies.read(payload as never, STATEMENT_LIMITS.maxBytes)
        if (body.ok) return body.value
        throw Object.assign(new Error(body.error), {
          statusCode: body.error === 'too_large' ? 413 : 400,
        })
      },
    )
    office
      .inScope(scope)
      .post(
        '/admin/statements',
        { minRole: 'treasurer', target: 'none', query: COLUMN_NAMES },
        uploadStatement,
      )
  })
}

const ASSIGNED_TEXT = 'assigned'
const DECISION_TEXTS = {
  review: 'sent for review',
  not_ours: 'marked as not ours',
  undone: 'reopened',
} as const

/**
 * Describes the decided lines: “2 lines assigned, 1 line sent for review”. Staff must not think that the second group is
 * paid. Of a split line, only some payments may need review.
 */
function describeDecided(
  done: readonly number[],
  text: string,
  { lines }: ViewedStatement,
): string {
  const count = (n: number): string => `${n} ${n === 1 ? 'line' : 'lines'}`
  const inReview =
    text === ASSIGNED_TEXT
      ? lines.filter(({ stored, state }) => state === 'review' && done.includes(stored.id))
      : []
  const wholeCount = inReview.filter(({ sums }) => sums.assigned === 0).length
  const assignedCount = done.length - inReview.length
  const partlyCount = inReview.length - wholeCount
  return [
    ...(assignedCount > 0 || inReview.length === 0 ? [`${count(assignedCount)} ${text}`] : []),
    ...(wholeCount > 0 ? [`${count(wholeCount)} ${DECISION_TEXTS.review}`] : []),
    ...(partlyCount > 0
      ? [`${count(partlyCount)} assigned in part and in part ${DECISION_TEXTS.review}`]
      : []),
  ].join(', ')
}

/** Returns true if the user may see the statement, which shows payers from all events of its uploader. */
const isVisible = (user: Call['user'], { events }: BankStatementSummary): boolean =>
  events.every((id) => canSee(user, id))

/**
 * Returns the chosen currency, if an event uses it. Without a choice, returns rupees, or the events' only
 * currency.
 */
function findCurrency(events: readonly EventConfig[], chosenCurrency: string): Currency | null {
  if (chosenCurrency !== '')
    return events.flatMap((event) => getStatementCurrency(event, chosenCurrency) ?? [])[0] ?? null
  const currencies = new Set(events.map(({ currency }) => currency))
  return currencies.size === 1 ? ([...currencies][0] ?? null) : currencies.has(INR) ? INR : null
}

/** Describes the account by its bank and last digits, from the text above the table. */
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
