/** Stores documents, their number series, and the issuers of events. */
import { sql as raw } from 'kysely'
import type { QueryCreator } from 'kysely'
import { assert, dayOf, getFinancialYear, formatSerial } from '../../../engine/index.ts'
import type { DocumentBody, DocumentKind, Instant, Issuer } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'
import type { Tables } from '../database/statements/tables.ts'
import { getCurrentSeries } from '../recovery/begin-and-end-recovery.ts'
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
type Series = { account: string; year: string; pattern: string }
const takeNumber = (builder: QueryCreator<Tables>, { account, year, pattern }: Series) =>
  builder
    .insertInto('document_series')
    .values({ account, year, pattern, last: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'year', 'pattern'])
        .doUpdateSet((eb) => ({ last: eb('document_series.last', '+', 1) })),
    )
    .returning('last')
const nextNumber = statement((builder, series: Series) => takeNumber(builder, series))
/** PostgreSQL only: assigns the next number of a series and inserts its document in one statement. */
const addNumberedDocument = statement((builder, document: NewNumberedDocument) =>
  builder
    .with('taken', (db) =>
      takeNumber(db, {
        account: document.account,
        year: document.year,
        pattern: document.series,
      }),
    )
    .insertInto('documents')
    .columns([
      'registration_id',
      'payment_id',
      'kind',
      'account',
      'year',
      'serial',
      'body',
      'at',
      'credit_number',
      'bill',
    ])
    .expression(({ selectFrom }) =>
      selectFrom('taken').select(({ val, ref }) => {
        const insertNumber = (pattern: string) =>
          raw<string>`replace(cast(${pattern} as text), '{n}', cast(${ref('taken.last')} as text))`
        return [
          raw<number>`cast(${document.registrationId} as bigint)`.as('registration_id'),
          raw<number>`cast(${document.paymentId} as bigint)`.as('payment_id'),
          val(document.kind).as('kind'),
          val(document.account).as('account'),
          val(document.year).as('year'),
          insertNumber(document.pattern).as('serial'),
          raw<string>`${val(document.bodyStart)} || ${insertNumber(document.patternInJson)} || ${val(document.bodyEnd)}`.as(
            'body',
          ),
          raw<Instant>`cast(${document.at} as bigint)`.as('at'),
          val(document.creditNumber).as('credit_number'),
          raw<number | null>`cast(${document.bill} as bigint)`.as('bill'),
        ]
      }),
    ),
)
type NewNumberedDocument = Omit<NewDocument, 'serial' | 'body'> & {
  series: string
  /** The number pattern of the series in its year; `{n}` is replaced by the number. */
  pattern: string
  patternInJson: string
  /** The JSON of the body before and after its serial. */
  bodyStart: string
  bodyEnd: string
}
type NewDocument = NumberedDocument &
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

/** Returns the issuer of an event. Null if the event was last served by a version without documents. */
export async function findIssuer(sql: Sql, eventId: string): Promise<Issuer | null> {
  const row = await issuerOfEvent.get(sql, { eventId })
  return row === undefined ? null : (JSON.parse(row.issuer) as Issuer)
}

type DocumentData = { readonly bill?: number | null; readonly creditNumber?: string | null }
type NumberedDocument = { readonly account: string; readonly year: string; readonly serial: string }

/**
 * Placeholder for a serial that has not been assigned yet. Text from delegates cannot contain it, because JSON escapes
 * their quotes.
 */
const NO_SERIAL = '\u0000'
const NO_SERIAL_IN_JSON = `"serial":${JSON.stringify(NO_SERIAL)}`

/**
 * Issues a document with the next number of a series. A rollback makes the number available again. On PostgreSQL, the
 * last statement before the commit locks the series, so that other payments of the series wait only for the commit.
 */
export async function storeNumberedDocument(
  sql: Sql,
  row: Pick<PaymentRow, 'id' | 'registration_id'>,
  { account, pattern, at }: { account: string; pattern: string; at: Instant },
  createBody: (serial: string) => DocumentBody,
  { bill = null, creditNumber = null }: DocumentData = {},
): Promise<void> {
  const year = getFinancialYear(dayOf(at))
  const series = await getCurrentSeries(sql, pattern, year)
  if (sql.batch === null) {
    const nextSerial = await nextNumber.get(sql, { account, year, pattern: series })
    assert(nextSerial !== undefined, 'a number series without a next number')
    const serial = formatSerial(series, nextSerial.last, year)
    storeDocument(sql, row, { account, year, serial }, createBody(serial), { bill, creditNumber })
    return
  }
  const body = createBody(NO_SERIAL)
  const [start, end, ...others] = JSON.stringify(body).split(NO_SERIAL_IN_JSON)
  assert(
    start !== undefined && end !== undefined && others.length === 0,
    'a document body without exactly one serial',
  )
  const patternOfYear = series.replaceAll('{year}', year)
  const numberedDocument = {
    registrationId: row.registration_id,
    paymentId: row.id,
    kind: body.kind,
    account,
    year,
    series,
    pattern: patternOfYear,
    patternInJson: `"serial":${JSON.stringify(patternOfYear)}`,
    bodyStart: start,
    bodyEnd: end,
    at: body.at,
    creditNumber,
    bill,
  }
  addNumberedDocument.sendLast(sql, numberedDocument, JSON.stringify([account, year, series]))
}

/**
 * Stores an issued document. `bill`: the bill of the registration when the document is issued. `creditNumber`: the
 * number pattern of an invoice's credit notes.
 */
export function storeDocument(
  sql: Sql,
  row: Pick<PaymentRow, 'id' | 'registration_id'>,
  { account, year, serial }: NumberedDocument,
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
