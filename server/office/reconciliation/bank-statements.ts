/** Reconciles bank statements: matches lines, confirms matches in bulk, and stores settlements. */
import { toWireCurrency } from '../../../engine/api.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { INR, toMajorUnits, listCurrenciesOfEvent } from '../../../engine/index.ts'
import type { Day, UnpaidOrder } from '../../../engine/index.ts'
import type { BulkActionResponse, ReconcileResponse } from '../../../engine/api.ts'
import { buildBulkResponse, performEach } from '../registrations/bulk-actions.ts'
import { confirmOrRecordExtra } from '../../registration/actions/record-payment.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import { COLUMN_NAMES, getStatementCurrency, readStatementColumns } from './column-mapping.ts'
import type { ColumnParams } from './column-mapping.ts'
import { STATEMENT_LIMITS } from '../spreadsheets/parse-csv.ts'
import type { CsvLine } from '../spreadsheets/parse-csv.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'
import { loadSettlementAccounts } from './settlement-account.ts'
import { matchSettlements, readReportedSettlement } from './match-settlements.ts'
import { saveReport, toWireSettlement } from './settlement-import.ts'
import { buildViewer } from './registration-numbers-in-statement.ts'
import { parseLinesToKeep, buildConfirmationParameters } from './lines-to-keep.ts'
import { hideOtherEvents, matchStatement, reportReturnedTransfers } from './match-statement.ts'
import type { MatchedStatement } from './match-statement.ts'
import { readSheet } from '../spreadsheets/read-spreadsheet.ts'
import { formatConfirmed, formatSaved } from './statement-result-messages.ts'
import { XLSX_TYPE } from '../spreadsheets/write-excel.ts'

export async function addBankStatementRoutes(
  app: FastifyInstance,
  office: OfficeRoutes,
  deps: Deps,
): Promise<void> {
  /** Loads the uploaded sheet. Null if an error response was sent. */
  const loadSheet = async (
    { file }: SheetCall,
    reply: FastifyReply,
  ): Promise<LoadedSheet | null> => {
    reply.header('cache-control', 'no-store')
    if (file === null) sendError(reply, 415, 'not_csv', 'Upload a CSV or Excel file.')
    else {
      const rows = await readSheet(file, STATEMENT_LIMITS)
      if (rows.ok) return { file, rows: rows.value }
      const { code, message } = rows.error
      sendError(reply, code === 'busy' ? 503 : 422, code, message)
    }
    return null
  }

  const showMatches = async (call: SheetCall, reply: FastifyReply): Promise<FastifyReply> => {
    const upload = await loadSheet(call, reply)
    if (upload === null) return reply
    const { user, query } = call
    const event = call.target.config
    const { rows } = upload
    const accounts = await loadSettlementAccounts(deps.store, event)
    const settlement = await readReportedSettlement(deps.store, accounts, rows, query)
    const auditEntry = {
      at: deps.clock(),
      who: user.username,
      eventId: event.id,
      regNo: null,
      look: 'statement',
    }
    if (settlement !== null) {
      const { settlementAccounts, report } = settlement
      await deps.store.addAuditEntry({ ...auditEntry, what: 'matched a settlement report' })
      const settlements = await matchSettlements(
        deps,
        settlementAccounts,
        report,
        buildViewer(deps, user),
      )
      const response: ReconcileResponse = {
        status: 'success',
        settlement: toWireSettlement(event, settlements),
      }
      return reply.send(response)
    }
    const columns = readStatementColumns(query)
    const currency = getStatementCurrency(event, query.statement_currency)
    if (currency === null)
      return sendError(
        reply,
        422,
        'bad_currency',
        `Choose the currency of the account: ${listCurrenciesOfEvent(event).join(' or ')}.`,
      )
    const viewer = buildViewer(deps, user)
    const matchResult = await matchStatement(deps.store, event, rows, columns, currency, viewer)
    if (!matchResult.ok) {
      if (matchResult.error.code === 'too_many_numbers')
        return sendError(reply, 422, matchResult.error.code, matchResult.error.message)
      const unknownColumns: ReconcileResponse = {
        status: 'success',
        header: [...matchResult.error.header],
      }
      return reply.send(unknownColumns)
    }
    await deps.store.addAuditEntry({ ...auditEntry, what: 'matched a bank statement' })
    await reportReturnedTransfers(deps, user, matchResult.value, currency)
    return reply.send(toWireStatement(await hideOtherEvents(deps, user, matchResult.value)))
  }

  const saveSettlement = async (call: SheetCall, reply: FastifyReply): Promise<FastifyReply> => {
    const upload = await loadSheet(call, reply)
    if (upload === null) return reply
    const { user, query } = call
    const event = call.target.config
    const { rows, file } = upload
    const accounts = await loadSettlementAccounts(deps.store, event)
    const settlement = await readReportedSettlement(deps.store, accounts, rows, query)
    if (settlement === null)
      return sendError(
        reply,
        422,
        'not_settlement',
        'This is not a settlement report of the gateway.',
      )
    const { settlementAccounts, report } = settlement
    const reportToSave = { file, lines: report.lines, who: user.username }
    const saveResult = await saveReport(
      { ...deps, store: call.store },
      event,
      settlementAccounts.reportAccount,
      reportToSave,
      buildViewer(deps, user),
    )
    return reply.send(saveResult)
  }

  const confirmAll = async (
    { user, store, target, body }: Call<'statement', never, 'keep'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { id: eventId } = target.served.config
    const linesToSave = parseLinesToKeep(body.keep, target.served.config, {
      who: user.username,
      at: deps.clock(),
      viewer: buildViewer(deps, user),
    })
    if (linesToSave === null)
      return sendError(reply, 422, 'bad_data', 'Each line needs a reference, an amount and a date.')
    const result = await performEach(
      deps,
      user,
      target.rows.map((row) => ({
        ...row,
        params: buildConfirmationParameters(target.served.config, row),
      })),
      { act: 'confirm', why: 'From the bank statement', handler: confirmOrRecordExtra, eventId },
    )
    const differingCount = await countInReview(deps, result.done)
    const confirmedAnswer = {
      ...buildBulkResponse(result, 'confirmed'),
      message: formatConfirmed(result, differingCount),
    }
    const savedText =
      linesToSave.length === 0
        ? ''
        : formatSaved(linesToSave.length, await store.saveUnmatchedLines(linesToSave))
    const response: BulkActionResponse =
      linesToSave.length === 0
        ? confirmedAnswer
        : {
            ...confirmedAnswer,
            message:
              target.rows.length === 0 ? savedText : `${confirmedAnswer.message} ${savedText}`,
          }
    return reply.header('cache-control', 'no-store').send(response)
  }

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
    const routes = office.inScope(scope)
    const sheet = { minRole: 'treasurer', target: 'event', query: COLUMN_NAMES } as const
    routes.post('/admin/reconcile', sheet, showMatches)
    routes.post('/admin/reconcile/keep', sheet, saveSettlement)
    routes.post(
      '/admin/reconcile/confirm',
      { minRole: 'treasurer', target: 'statement', body: { keep: 'list' } },
      confirmAll,
    )
  })
}

/** Counts the confirmed payments that need review because their amount differs from the balance. */
async function countInReview(
  { store }: Pick<Deps, 'store'>,
  regNos: readonly string[],
): Promise<number> {
  const registrations = await Promise.all(regNos.map((regNo) => store.registration(regNo)))
  return registrations.filter((registration) => registration?.inReview === true).length
}

function toWireStatement({
  currency,
  lines,
  openClaims,
  unread,
  repeated,
  payersByNumber: byNumber,
}: MatchedStatement): ReconcileResponse {
  const toWireAwaitedPayer = (registration: UnpaidOrder, day?: Day) => ({
    reg_no: registration.regNo,
    name: registration.name,
    due: toMajorUnits(
      (day === undefined ? null : registration.getDueOn?.(day)) ?? registration.due,
      currency,
    ),
    reference: registration.claim?.reference ?? null,
    ...toWireCurrency(currency),
  })
  return {
    status: 'success',
    header: null,
    lines: lines.map(({ line, reference, also, as, of, payout, why: reason }) => ({
      line: line.line,
      day: line.day,
      narration: line.narration,
      reference,
      also: [...also],
      amount: toMajorUnits(line.amount, currency),
      ...toWireCurrency(currency),
      as,
      why: reason,
      payout:
        payout === null
          ? null
          : { utr: payout.utr, lines: payout.lines, net: toMajorUnits(payout.net, INR) },
      of: of.map((regNo) => {
        const registration = byNumber.get(regNo)
        return registration === undefined
          ? { reg_no: regNo, name: '', due: 0, reference: null }
          : toWireAwaitedPayer(registration, line.day)
      }),
    })),
    waiting: openClaims.map((registration) => toWireAwaitedPayer(registration)),
    unread: [...unread],
    repeated: [...repeated],
  }
}

type SheetCall = Call<'event', keyof ColumnParams>
type LoadedSheet = {
  readonly file: Buffer
  readonly rows: readonly CsvLine[]
}
