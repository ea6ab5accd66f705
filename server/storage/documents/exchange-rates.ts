/**
 * Stores the exchange rates that staff entered, and the registrations whose invoice is waiting for a rate.
 * An invoice in a foreign currency states its value in rupees at the exchange rate on the payment date.
 */
import { addDays, assert, dayOf, INR, MAX_RATE_AGE_DAYS } from '../../../engine/index.ts'
import type { Currency, Day, ExchangeRate, Instant, RegNo } from '../../../engine/index.ts'
import type { Sql } from '../database/sqlite-connection.ts'
import { statement } from '../database/statements/statement.ts'

/** A rate as entered by staff. */
export type EnteredRate = ExchangeRate & {
  readonly eventId: string
  readonly currency: Currency
  readonly who: string
  readonly at: Instant
}
export type WaitingInvoice = {
  readonly regNo: RegNo
  readonly currency: Currency
  /** The payment date. */
  readonly day: Day
}

const saveRate = statement((builder, rate: EnteredRate) =>
  builder
    .insertInto('exchange_rates')
    .values({
      event_id: rate.eventId,
      currency: rate.currency,
      day: rate.day,
      rate: rate.rate,
      source: rate.source,
      who: rate.who,
      at: rate.at,
    })
    .onConflict((conflict) =>
      conflict.columns(['event_id', 'currency', 'day']).doUpdateSet((eb) => ({
        rate: eb.ref('excluded.rate'),
        source: eb.ref('excluded.source'),
        who: eb.ref('excluded.who'),
        at: eb.ref('excluded.at'),
      })),
    ),
)
const ratesOfEvent = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('exchange_rates')
    .select(['currency', 'day', 'rate', 'source', 'who', 'at'])
    .where('event_id', '=', eventId)
    .orderBy('day', 'desc')
    .orderBy('currency')
    .limit(MAX_LISTED_RATES),
)
/** The maximum number of listed rates: about one for each working day of a year. */
const MAX_LISTED_RATES = 260
type RateParams = { eventId: string; currency: Currency; earliestDay: Day; day: Day }
const newestRate = statement((builder, { eventId, currency, earliestDay, day }: RateParams) =>
  builder
    .selectFrom('exchange_rates')
    .select(['rate', 'day', 'source'])
    .where('event_id', '=', eventId)
    .where('currency', '=', currency)
    .where('day', '>=', earliestDay)
    .where('day', '<=', day)
    .orderBy('day', 'desc')
    .limit(1),
)
type WaitingParams = { registrationId: number; eventId: string; currency: Currency; day: Day }
const addWaiting = statement((builder, { registrationId, eventId, currency, day }: WaitingParams) =>
  builder
    .insertInto('waiting_invoices')
    .values({ registration_id: registrationId, event_id: eventId, currency, day })
    .onConflict((conflict) => conflict.column('registration_id').doNothing()),
)
const removeWaiting = statement((builder, { registrationId }: { registrationId: number }) =>
  builder.deleteFrom('waiting_invoices').where('registration_id', '=', registrationId),
)
const isWaiting = statement((builder, { registrationId }: { registrationId: number }) =>
  builder
    .selectFrom('waiting_invoices')
    .select('registration_id')
    .where('registration_id', '=', registrationId),
)
const waitingOfEvent = statement((builder, { eventId }: { eventId: string }) =>
  builder
    .selectFrom('waiting_invoices as w')
    .innerJoin('registrations as r', 'r.id', 'w.registration_id')
    .select(['r.reg_no as regNo', 'w.currency', 'w.day'])
    .where('w.event_id', '=', eventId)
    .orderBy('w.day')
    .orderBy('w.registration_id'),
)

/** Returns the rate for that date, or the newest rate from the week before. Null if staff entered no such rate. */
async function findRate(
  sql: Sql,
  eventId: string,
  currency: Currency,
  day: Day,
): Promise<ExchangeRate | null> {
  const params = { eventId, currency, earliestDay: addDays(day, -MAX_RATE_AGE_DAYS), day }
  return (await newestRate.get(sql, params)) ?? null
}

/**
 * Returns the rate for the payment date. Null for a bill in rupees. If the rate is missing, the registration is
 * recorded as waiting and gets its invoice when the rate is entered.
 */
export async function findOrAwaitRate(
  sql: Sql,
  {
    id,
    event_id: eventId,
    currency,
  }: { readonly id: number; readonly event_id: string; readonly currency: Currency },
  { paid_at: paidAt }: { readonly paid_at: Instant | null },
): Promise<ExchangeRate | null | 'missing'> {
  if (currency === INR) return null
  assert(paidAt !== null, 'an invoice before a payment')
  const day = dayOf(paidAt)
  const rate = await findRate(sql, eventId, currency, day)
  if (rate !== null) return rate
  addWaiting.run(sql, { registrationId: id, eventId, currency, day })
  return 'missing'
}

export const removeWaitingInvoice = (sql: Sql, registrationId: number): void => {
  removeWaiting.run(sql, { registrationId })
}
export const hasWaitingInvoice = async (sql: Sql, registrationId: number): Promise<boolean> =>
  (await isWaiting.get(sql, { registrationId })) !== undefined

/** Saves a rate. Replaces an earlier rate for the same date. Issued documents do not change. */
export function saveExchangeRate(sql: Sql, rate: EnteredRate): void {
  saveRate.run(sql, rate)
}

export const listExchangeRates = (
  sql: Sql,
  eventId: string,
): Promise<readonly Omit<EnteredRate, 'eventId'>[]> => ratesOfEvent.all(sql, { eventId })

export const listWaitingInvoices = (
  sql: Sql,
  eventId: string,
): Promise<readonly WaitingInvoice[]> => waitingOfEvent.all(sql, { eventId })
