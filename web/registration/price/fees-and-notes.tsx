/** The fees and the organisers' notes below the form. */
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { ComponentType, ReactNode, RefObject } from 'react'
import { FORM_MESSAGES } from '../../../engine/messages.ts'
import type { Answers, PublicEvent, Quote } from '../../../engine/index.ts'
import type { TariffResponse } from '../../../engine/api.ts'
import { DetailsList } from '../../ui/details-list.tsx'
import { useIsIdle } from '../../app/hydration-state.ts'
import { PriceNote, formatOptionPrice, listPriceDetails } from '../fields/radio-choices.tsx'
import type * as FeeTableModule from './fee-table.tsx'
import type { FeeTableProps, PriceUntilProps } from './fee-table.tsx'
import './fees-and-notes.css'

/** Shows the organisers' notes. */
export function OrganiserNotes({ event }: { readonly event: PublicEvent }) {
  const { panel } = event.form
  if (panel === null) return null
  return (
    <aside className="info" aria-label={panel.title ?? FORM_MESSAGES.fees.notes}>
      {panel.title !== undefined && <h2>{panel.title}</h2>}
      <ul>
        {panel.lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </aside>
  )
}

/** Creates a component that is loaded on demand and renders nothing if loading fails. */
const createLazyComponent = <P extends object>(
  select: (all: typeof FeeTableModule) => ComponentType<P>,
) =>
  lazy(() =>
    import('./fee-table.tsx')
      .then((all) => ({ default: select(all) }))
      .catch(() => ({ default: (() => null) as ComponentType<P> })),
  )
const LazyFeeTable = createLazyComponent<FeeTableProps>((all) => all.FeeTable)
const LazyPriceUntil = createLazyComponent<PriceUntilProps>((all) => all.PriceUntil)

/** States the last day of the delegate's price, and the next price. */
export function PriceValidity(props: PriceUntilProps) {
  // Loaded after everything else, and only in the browser, because the server's rendering would
  // have to wait for it.
  const isPageIdle = useIsIdle()
  return (
    isPageIdle && (
      <Suspense fallback={null}>
        <LazyPriceUntil {...props} />
      </Suspense>
    )
  )
}

/**
 * Shows all fees from today by period, with the delegate's category highlighted. Shows only today's fees until the
 * table is loaded, or if the form has no category field.
 */
export function Fees({
  event,
  tariff,
  quote,
  answers,
}: {
  readonly event: PublicEvent
  readonly tariff: TariffResponse | null
  readonly quote: Quote | null
  readonly answers: Answers
}) {
  const { fees, categories, categoryChoice } = event
  if (fees.prices === null) return null
  const areFeesShownAbove =
    categoryChoice.by === 'field' && !categories.some(({ listedOnly }) => listedOnly)
  // If today's prices have no end date, there are no upcoming prices.
  const hasUpcomingFees = tariff !== null && tariff.until !== null
  if (areFeesShownAbove && !hasUpcomingFees) return null
  // A server-rendered or printed page, which is never scrolled, shows today's prices.
  const today = <TodaysFees event={event} tariff={tariff} />
  return (
    <FeeSection today={today}>
      {hasUpcomingFees && (
        <LazyFeeTable
          event={event}
          category={quote?.category ?? null}
          answers={answers}
          now={tariff.now}
        />
      )}
    </FeeSection>
  )
}

/**
 * Renders the children once the section comes near the viewport. Shows `today` until then, or if there are no
 * children.
 */
function FeeSection({
  today,
  children: lazyTable,
}: {
  readonly today: ReactNode
  readonly children: ReactNode
}) {
  const box = useRef<HTMLElement>(null)
  const isNear = useWasNear(box)
  return (
    <section ref={box} className="info fees" aria-labelledby="fees">
      <h2 id="fees">{FORM_MESSAGES.fees.title}</h2>
      {isNear && lazyTable !== false ? <Suspense fallback={today}>{lazyTable}</Suspense> : today}
    </section>
  )
}

/**
 * Distance below the viewport, in pixels, at which a section is loaded, so that it is ready when
 * the reader scrolls to it.
 */
const LOAD_DISTANCE_PX = 600

/** Returns true once the element has been near the viewport. */
function useWasNear(box: RefObject<HTMLElement | null>): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const { current } = box
    if (current === null) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setNear(true),
      { rootMargin: `${LOAD_DISTANCE_PX}px` },
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [box])
  return isNear
}

function TodaysFees({
  event,
  tariff,
}: {
  readonly event: PublicEvent
  readonly tariff: TariffResponse | null
}) {
  const priceDetails = tariff === null ? null : listPriceDetails(event, tariff)
  const rows = event.categories.map((category) => {
    const details = priceDetails?.get(category.id) ?? ''
    return {
      id: category.id,
      label: details === '' ? category.label : `${category.label}, ${details}`,
      value:
        tariff === null
          ? '\u00a0'
          : (formatOptionPrice(event, tariff, category) ?? FORM_MESSAGES.notOnSale),
    }
  })
  return (
    <>
      <PriceNote event={event} tariff={tariff} />
      <DetailsList rows={rows} hasAmounts />
    </>
  )
}
