/** Lets treasurers enter the exchange rates that invoices in currencies other than rupees must state. */
import type { FastifyReply } from 'fastify'
import {
  addDays,
  listCurrenciesOfEvent,
  dayOf,
  formatDayShort,
  INR,
  isDay,
  formatIsoIndia,
  MAX_RATE_AGE_DAYS,
  readRate,
} from '../../../engine/index.ts'
import { buildInvoiceEmail } from '../../../engine/messages.ts'
import type { Currency, Day, EventConfig } from '../../../engine/index.ts'
import type { ExchangeRatesResponse } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { sendError } from '../../http/error-response.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

const MAX_SOURCE_CHARACTERS = 100
/**
 * The number of invoices issued at a time. Each locks its number series, so payments wait for at most this many
 * invoices.
 */
const INVOICE_BATCH_SIZE = 50

/** Lists the currencies in which invoices of this event need a rate. */
export function listCurrenciesWithRate(
  event: Pick<EventConfig, 'invoice' | 'categories' | 'currency'>,
): readonly Currency[] {
  return event.invoice === null
    ? []
    : listCurrenciesOfEvent(event).filter((currency) => currency !== INR)
}

export function addExchangeRateRoutes(office: OfficeRoutes, deps: Deps): void {
  const sendRates = async (
    { target, user }: Call<'event'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { id: eventId } = target.config
    const rates = await deps.store.exchangeRates(eventId)
    const waitingInvoices = await deps.store.waitingInvoices(eventId)
    await deps.store.addAuditEntry({
      at: deps.clock(),
      who: user.username,
      what: 'viewed the exchange rates',
      eventId,
      regNo: null,
      look: 'exchange rates',
    })
    const days = Map.groupBy(waitingInvoices, ({ currency, day }) => `${currency} ${day}`)
    const response: ExchangeRatesResponse = {
      status: 'success',
      currencies: [...listCurrenciesWithRate(target.config)],
      rates: rates.map(({ currency, day, rate, source, who, at }) => ({
        currency,
        day,
        rate,
        source,
        entered_by: who,
        entered_at: formatIsoIndia(at),
      })),
      waiting: [...days.values()].flatMap(([first, ...others]) =>
        first === undefined
          ? []
          : [{ currency: first.currency, day: first.day, invoices: others.length + 1 }],
      ),
    }
    return reply.header('cache-control', 'no-store').send(response)
  }

  const enterRate = async (
    { target, user, store, body }: Call<'event', never, 'currency' | 'day' | 'rate' | 'source'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    reply.header('cache-control', 'no-store')
    const event = target.config
    const at = deps.clock()
    const currencies = listCurrenciesWithRate(event)
    const refuse = (message: string): FastifyReply => sendError(reply, 422, 'bad_data', message)
    const currency = currencies.find((code) => code === body.currency)
    if (currencies.length === 0)
      return sendError(reply, 409, 'no_rates', 'This event issues no invoices in another currency.')
    if (currency === undefined) return refuse(`Choose the currency: ${currencies.join(' or ')}.`)
    const day = String(body.day ?? '')
    if (!isDay(day)) return refuse('Enter the date of the rate like this: 2026-12-31.')
    if (day > dayOf(at)) return refuse('The date of the rate cannot be in the future.')
    const rate = readRate(String(body.rate ?? ''))
    if (rate === null)
      return refuse(
        `Enter the value of 1 ${currency} in rupees, such as 83.4125, with at most six decimal places.`,
      )
    const source = String(body.source ?? '').trim()
    if (source === '' || source.length > MAX_SOURCE_CHARACTERS)
      return refuse(
        `Enter the source of the rate, such as “FBIL reference rate”, in at most ${MAX_SOURCE_CHARACTERS} characters.`,
      )
    const { username: who } = user
    const knownRates = (await deps.store.exchangeRates(event.id)).filter(
      (known) => known.currency === currency,
    )
    const [comparedRate] = knownRates.filter((known) => known.day !== day)
    if (comparedRate !== undefined && isSuspiciousRate(rate, comparedRate.rate))
      return refuse(
        `1 ${currency} was INR ${comparedRate.rate} on ${formatDayShort(comparedRate.day)}. Check the decimal point in ${rate}. If the rate for ${formatDayShort(comparedRate.day)} is wrong, correct it first.`,
      )
    const isReplaced = knownRates.some((known) => known.day === day && known.rate !== rate)
    await store.saveExchangeRate({ eventId: event.id, currency, day, rate, source, who, at })
    await deps.store.addAuditEntry({
      at,
      who,
      what: `entered the exchange rate of ${formatDayShort(day)}: 1 ${currency} = INR ${rate} (${source})`,
      eventId: event.id,
      regNo: null,
    })
    const issuedCount = await issueWaitingInvoices(deps, event, { currency, day })
    return reply.send({
      status: 'success',
      message: `The rate is saved.${isReplaced ? ' Invoices already issued with the earlier rate do not change.' : ''} ${issuedCount === 0 ? 'No invoice was waiting for this rate.' : issuedCount === 1 ? '1 invoice was issued.' : `${issuedCount} invoices were issued.`}`,
    })
  }

  office.get('/admin/exchange-rates', { minRole: 'treasurer', target: 'event' }, sendRates)
  office.post(
    '/admin/exchange-rates',
    {
      minRole: 'treasurer',
      target: 'event',
      body: { currency: 'text', day: 'text', rate: 'text', source: 'text' },
    },
    enterRate,
  )
}

/** A rate that differs from a known one by this factor probably has a misplaced decimal point. */
const SUSPICIOUS_RATE_FACTOR = 4 / 3
const isSuspiciousRate = (rate: string, otherRate: string): boolean =>
  Number(rate) > Number(otherRate) * SUSPICIOUS_RATE_FACTOR ||
  Number(rate) * SUSPICIOUS_RATE_FACTOR < Number(otherRate)

/** Issues waiting invoices with the rate on that date, and returns their number. */
async function issueWaitingInvoices(
  { store, clock }: Deps,
  event: EventConfig,
  { currency, day }: { readonly currency: Currency; readonly day: Day },
): Promise<number> {
  const isInDays = (waiting: { readonly currency: Currency; readonly day: Day }): boolean =>
    waiting.currency === currency &&
    day <= waiting.day &&
    waiting.day <= addDays(day, MAX_RATE_AGE_DAYS)
  const waiting = (await store.waitingInvoices(event.id)).filter(isInDays)
  for (let start = 0; start < waiting.length; start += INVOICE_BATCH_SIZE) {
    const regNos = waiting.slice(start, start + INVOICE_BATCH_SIZE).map(({ regNo }) => regNo)
    const registrations = await Promise.all(regNos.map((regNo) => store.registration(regNo)))
    const emails = registrations.flatMap((registration) => {
      const email = registration === null ? null : buildInvoiceEmail(event, registration)
      return registration === null || email === null ? [] : [{ regNo: registration.regNo, email }]
    })
    await store.issueWaitingInvoices(regNos, clock(), emails)
  }
  const remainingInvoices = (await store.waitingInvoices(event.id)).filter(isInDays)
  return waiting.length - remainingInvoices.length
}
