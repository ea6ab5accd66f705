/** Today's prices from the server, and the price of the answers. */
import { useCallback, useEffect, useState } from 'react'
import { getCurrency, findCategory, getLowerCaseLabel, ok } from '../../../engine/index.ts'
import { FORM_PRICE_MESSAGES, formatMessage } from '../../../engine/messages.ts'
import type { Answers, PublicEvent, Quote } from '../../../engine/index.ts'
import { toWireCurrency } from '../../../engine/api.ts'
import type { PageData, TariffResponse } from '../../../engine/api.ts'
import { readAvailability, createTariffReader, toQuote } from '../../app/api-responses.ts'
import { call } from '../../app/api-client.ts'
import { isShortMessage } from '../../ui/forms/is-short-message.ts'

const messages = FORM_PRICE_MESSAGES

/** The data that the server embeds in a form's page. */
export type FormPageData = Extract<PageData, { page: 'event' }>

export type Tariff =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'loaded'; readonly response: TariffResponse }

/**
 * Returns today's prices from the page or from the server, with the seats left. The returned function
 * reloads them; the current prices stay visible until the new ones arrive.
 */
export function useTariff({
  event: response,
  tariff: embeddedTariff,
}: FormPageData): readonly [Tariff, () => void] {
  const { event, now } = response
  const [tariff, setTariff] = useState<Tariff>(
    embeddedTariff === null ? { is: 'loading' } : { is: 'loaded', response: embeddedTariff },
  )
  const [reloadCount, setReloadCount] = useState(0)
  useEffect(() => {
    const isCurrent = reloadCount === 0 && embeddedTariff !== null && !isRestoredPage()
    if (isCurrent && event.quotas.length === 0) return
    const abortController = new AbortController()
    const { signal } = abortController
    const request = isCurrent
      ? call(buildAvailabilityUrl(event), readAvailability, { signal }).then((availability) =>
          availability.ok ? ok({ ...embeddedTariff, left: availability.value }) : availability,
        )
      : call(event.api.tariff, createTariffReader(event, now), { signal })
    void request.then((result) => {
      if (result.ok) setTariff({ is: 'loaded', response: result.value })
      else if (result.error.code !== 'aborted')
        setTariff((previous) =>
          previous.is === 'loaded' ? previous : { is: 'failed', message: result.error.message },
        )
    })
    return () => abortController.abort()
  }, [event, now, embeddedTariff, reloadCount])
  const reload = useCallback(() => {
    setTariff((previous) => (previous.is === 'failed' ? { is: 'loading' } : previous))
    setReloadCount((count) => count + 1)
  }, [])
  return [tariff, reload]
}

/** The page is the same for every visitor, so it never contains the number of seats left. */
const buildAvailabilityUrl = ({ id }: PublicEvent): string =>
  `/api/events/${encodeURIComponent(id)}/availability/`

/** Returns true if the browser has restored the page without a request to the server, perhaps on another day. */
const isRestoredPage = (): boolean =>
  performance
    .getEntriesByType('navigation')
    .some((entry) => (entry as PerformanceNavigationTiming).type === 'back_forward')

/**
 * Content of the summary: a price, or the reason why there is no price.
 */
export type PriceView =
  | { readonly is: 'price'; readonly quote: Quote }
  /** The event has no prices, so there is nothing to pay or to load. */
  | { readonly is: 'free' }
  | {
      readonly is: 'none'
      readonly category: string | null
      readonly reason: string
      readonly canRetry: boolean
    }

/**
 * Calculates the price of a category's answers. Returns null if the category is not on sale today, or a
 * text if there is another reason why the answers have no price.
 */
export type Pricing = (
  event: PublicEvent,
  tariff: TariffResponse,
  category: string,
  answers: Answers,
) => Quote | string | null

/** Returns the price that the server states, for an event that sells only the registration. */
export const calculatePriceByTariff: Pricing = (
  event,
  { pricing, current_period: period },
  category,
) => {
  const wire = pricing[category]
  if (wire === undefined || period === null) return null
  const currency = toWireCurrency(getCurrency(event, category))
  return toQuote({ category, period, ...wire, ...currency, lines: [] })
}

export function calculatePrice(
  event: PublicEvent,
  tariff: Tariff,
  answers: Answers,
  pricing: Pricing = calculatePriceByTariff,
): PriceView {
  if (event.fees.prices === null) return { is: 'free' }
  const category = findCategory(event, answers)
  const createMissingPrice = (reason: string, canRetry = false): PriceView => ({
    is: 'none',
    category,
    reason,
    canRetry,
  })
  if (tariff.is === 'loading') return createMissingPrice(messages.loading)
  if (tariff.is === 'failed')
    return createMissingPrice(formatMessage(messages.notLoaded, { reason: tariff.message }), true)
  const { response } = tariff
  if (!response.open) return createMissingPrice(response.closed_text ?? messages.closed)
  if (category === null) return createMissingPrice(getCategoryPrompt(event))
  const quote =
    pricing(event, response, category, answers) ??
    formatMessage(messages.categoryNotOnSale, { word: getLowerCaseLabel(event, 'category') })
  if (typeof quote === 'string') return createMissingPrice(quote)
  return { is: 'price', quote }
}

function getCategoryPrompt(event: PublicEvent): string {
  const choice = event.categoryChoice
  if (choice.by === 'rules') return event.form.summary.empty
  const field = event.fields.find((field) => field.id === choice.field)
  const message = field?.required?.message
  return message === undefined || isShortMessage(message)
    ? formatMessage(messages.choose, {
        field: field?.label ?? getLowerCaseLabel(event, 'category'),
      })
    : message
}
