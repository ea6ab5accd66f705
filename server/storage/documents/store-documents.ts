/** Stores documents, their number series and the issuers of events. */
import { assert, dayOf, financialYear, serialText } from '../../../engine/index.ts'
import type { DocumentBody, DocumentKind, Instant, Issuer } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import { seriesNow } from '../recovery/begin-and-end-recovery.ts'
import type { PaymentRow } from '../registrations/row-mapping.ts'

const issuerOfEvent = statement((builder, { eventId }: { eventId: string }) =>
  builder.selectFrom('event_issuers').select('issuer').where('event_id', '=', eventId),
)
const saveIssuer = statement((builder, { eventId, issuer }: { eventId: string; issuer: string }) =>
  builder
    .insertInto('event_issuers')
    .values({ event_id: eventId, issuer })
    .onConflict((conflict) =>
      conflict
        .column('event_id')
        .doUpdateSet((eb) => ({ issuer: eb.ref('excluded.issuer') }))
        .whereRef('event_issuers.issuer', '<>', 'excluded.issuer'),
    ),
)
const nextNumber = statement(
  (builder, { account, year, pattern }: { account: string; year: string; pattern: string }) =>
    builder
      .insertInto('document_series')
      .values({ account, year, pattern, last: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['account', 'year', 'pattern'])
          .doUpdateSet((eb) => ({ last: eb('document_series.last', '+', 1) })),
      )
      .returning('last'),
)
type NewDocument = Numbered &
  Required<DocumentData> & {
    registrationId: number
    paymentId: number
    kind: DocumentKind
    body: string
    at: Instant
  }
const addDocument = statement((builder, document: NewDocument) =>
  builder.insertInto('documents').values({
    registration_id: document.registrationId,
    payment_id: document.paymentId,
    kind: document.kind,
    account: document.account,
    year: document.year,
    serial: document.serial,
    body: document.body,
    at: document.at,
    credit_number: document.creditNumber,
    bill: document.bill,
  }),
)

export function setIssuer(sql: Sql, eventId: string, issuer: Issuer): void {
  saveIssuer.run(sql, { eventId, issuer: JSON.stringify(issuer) })
}

/** Null if the event has not been served since documents were introduced. */
export async function findIssuer(sql: Sql, eventId: string): Promise<Issuer | null> {
  const row = await issuerOfEvent.get(sql, { eventId })
  return row === undefined ? null : (JSON.parse(row.issuer) as Issuer)
}

type DocumentData = { readonly bill?: number | null; readonly creditNumber?: string | null }
type Numbered = { readonly account: string; readonly year: string; readonly serial: string }

/** Takes the next number of a series. A rollback also returns the number. */
export async function takeNextSerial(
  sql: Sql,
  account: string,
  pattern: string,
  at: Instant,
): Promise<Numbered> {
  const year = financialYear(dayOf(at))
  const series = await seriesNow(sql, pattern, year)
  const row = await nextNumber.get(sql, { account, year, pattern: series })
  assert(row !== undefined, 'a series that counts nothing')
  return { account, year, serial: serialText(series, row.last, year) }
}

/**
 * `bill`: the bill of the registration at that time. `creditNumber`: for an invoice, the number pattern of its credit
 * notes.
 */
export function storeDocument(
  sql: Sql,
  row: Pick<PaymentRow, 'id' | 'registration_id'>,
  { account, year, serial }: Numbered,
  body: DocumentBody,
  { bill = null, creditNumber = null }: DocumentData = {},
): void {
  addDocument.run(sql, {
    registrationId: row.registration_id,
    paymentId: row.id,
    kind: body.kind,
    account,
    year,
    serial,
    body: JSON.stringify(body),
    at: body.at,
    creditNumber,
    bill,
  })
}
