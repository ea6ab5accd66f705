/** Today’s prices as the server states them, and what these answers cost by them. */
import { useCallback, useEffect, useState } from 'react'
import { categoryOf, wordFor } from '../../../engine/index.ts'
import type { Answers, PageData, PublicEvent, Quote, TariffAnswer } from '../../../engine/index.ts'
import { tariffReader, toQuote } from '../../app/api-responses.ts'
import { call } from '../../app/api-client.ts'
import { saysLittle } from '../../ui/forms/is-short-message.ts'

/** What the server wrote into the page of a form. */
export type EventPage = Extract<PageData, { page: 'event' }>

export type Tariff =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'here'; readonly answer: TariffAnswer }

/**
 * Today's prices as the server states them, in the page or when it is asked; `again` asks once more and
 * keeps what is shown until then.
 */
export function useTariff({
  event: answer,
  tariff: known,
}: EventPage): readonly [Tariff, () => void] {
  const { event, now } = answer
  const [tariff, setTariff] = useState<Tariff>(
    known === null ? { is: 'loading' } : { is: 'here', answer: known },
  )
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    if (asked === 0 && known !== null && !mayHaveChanged(event)) return
    const leave = new AbortController()
    void call(event.api.tariff, tariffReader(event, now), { signal: leave.signal }).then(
      (answer) => {
        if (answer.ok) setTariff({ is: 'here', answer: answer.value })
        else if (answer.error.code !== 'aborted')
          setTariff((old) =>
            old.is === 'here' ? old : { is: 'failed', message: answer.error.message },
          )
      },
    )
    return () => leave.abort()
  }, [event, now, known, asked])
  const again = useCallback(() => {
    setTariff((old) => (old.is === 'failed' ? { is: 'loading' } : old))
    setAsked((times) => times + 1)
  }, [])
  return [tariff, again]
}

/** How many places are left is never in the page; and a page that one comes back to may be of another day. */
const mayHaveChanged = ({ limits }: PublicEvent): boolean =>
  limits.length > 0 ||
  performance
    .getEntriesByType('navigation')
    .some((entry) => (entry as PerformanceNavigationTiming).type === 'back_forward')

/** What the summary shows: a price, or why there is none (`text` for the summary, `why` beside the button). */
export type PriceView =
  | { readonly is: 'price'; readonly quote: Quote }
  /** The event states no prices: nothing to pay, nothing to wait for. */
  | { readonly is: 'free' }
  | {
      readonly is: 'none'
      readonly category: string | null
      readonly why: string
      readonly retry: boolean
    }

/** What the answers of a category cost by a tariff; null: it is not on sale today, or why. */
export type Pricing = (
  event: PublicEvent,
  tariff: TariffAnswer,
  category: string,
  answers: Answers,
) => Quote | string | null

/** Of an event that sells nothing but the registration: as the server states it. */
export const byTariff: Pricing = (_event, { pricing, current_period: period }, category) => {
  const wire = pricing[category]
  return wire && period !== null ? toQuote({ category, period, ...wire, lines: [] }) : null
}

export function priceOf(
  event: PublicEvent,
  tariff: Tariff,
  answers: Answers,
  pricing: Pricing = byTariff,
): PriceView {
  if (event.fees.prices === null) return { is: 'free' }
  const category = categoryOf(event, answers)
  const none = (why: string, retry = false): PriceView => ({ is: 'none', category, why, retry })
  if (tariff.is === 'loading') return none('Loading today’s prices')
  if (tariff.is === 'failed')
    return none(`Today’s prices could not be loaded. ${tariff.message}`, true)
  const { answer } = tariff
  if (!answer.open) return none(answer.closed_text ?? 'Registration is closed today')
  if (category === null) return none(askForCategory(event))
  const quote =
    pricing(event, answer, category, answers) ??
    `This ${wordFor(event, 'category')} is not on sale today`
  if (typeof quote === 'string') return none(quote)
  return { is: 'price', quote }
}

function askForCategory(event: PublicEvent): string {
  const choice = event.categoryChoice
  if (choice.by === 'rules') return event.form.summary.empty
  const field = event.fields.find((one) => one.id === choice.field)
  const message = field?.required?.message
  return message === undefined || saysLittle(message)
    ? `Please choose: ${field?.label ?? wordFor(event, 'category')}`
    : message
}
