/** The components shared by office pages: banner, heading, registration number. */
import { use, useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { INR, isEnded } from '../../../engine/index.ts'
import type { Currency, PaymentStatus } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { PageContext } from '../frame/page-title.ts'
import { Badge, PaymentStatusBadge } from '../../ui/payment-status-badge.tsx'
import { formatResponseMoney } from './format-amount.ts'

type BannerProps = {
  readonly text: string
  readonly onDismiss?: () => void
  readonly action?: { readonly label: string; readonly onClick: () => void }
}

/**
 * Shows an error above the content it affects. Screen readers announce the error immediately. It stays until the user
 * dismisses it or retries the call.
 */
export function Banner({ text, onDismiss, action }: BannerProps) {
  return (
    <div className="banner" role="alert">
      <Icon name="bang" />
      <p>{text}</p>
      {action && (
        <button type="button" className="btn line sm" onClick={action.onClick}>
          {action.label}
        </button>
      )}
      {onDismiss && (
        <button type="button" className="plain-button" aria-label="Dismiss" onClick={onDismiss}>
          <Icon name="cross" />
        </button>
      )}
    </div>
  )
}

/** Shows the page's only h1. The heading receives focus when the page opens, so that screen readers start there. */
export function PageHeading({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { setTitle, eventTitle } = use(PageContext)
  useEffect(() => {
    const eventParts = eventTitle === null || title.includes(eventTitle) ? [] : [eventTitle]
    document.title = [title, ...eventParts, 'Rollcall office'].join(' · ')
    setTitle(title)
  }, [title, eventTitle, setTitle])
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [title])
  return (
    <div className="head">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </div>
  )
}

/** Returns the amount due for a row's registration, or 0 if the row does not state it. */
export const readDue = (row: Readonly<Record<string, unknown>>): number => {
  const due = row['money.owed']
  return typeof due === 'number' ? due : 0
}

/**
 * Shows the state of a registration as reported by the server. A cancelled or expired
 * registration is never shown as paid.
 */
export function RegistrationStatus({
  registration,
  isInList = false,
  due = 0,
  currency = INR,
}: {
  readonly registration: {
    readonly payment_status: PaymentStatus
    readonly payment_status_display: string
    readonly in_review: boolean
    readonly in_state?: unknown
  }
  /** Lists show “Failed” and “Paid”, as the specification requires. Other pages show “Unpaid” and “Partly paid”. */
  readonly isInList?: boolean
  /** The amount still due for a paid registration, and its currency. */
  readonly due?: number | undefined
  readonly currency?: Currency
}) {
  const isUnderReview = registration.in_review && registration.payment_status !== 'success'
  const isUnpaid =
    registration.payment_status === 'failed' &&
    !registration.in_review &&
    !isEnded(registration.in_state)
  if (isUnpaid && !isInList)
    return (
      <Badge tone="ended" icon="clock">
        Unpaid
      </Badge>
    )
  const isPartlyPaid = due > 0 && registration.payment_status === 'success'
  const dueText = `${formatResponseMoney(due, currency)} due`
  if (isPartlyPaid && !isInList)
    return (
      <Badge tone="wait" icon="clock">
        {`Partly paid, ${dueText}`}
      </Badge>
    )
  return (
    <>
      <PaymentStatusBadge
        is={
          isEnded(registration.in_state)
            ? 'ended'
            : isUnderReview
              ? 'review'
              : registration.payment_status
        }
        label={
          isUnderReview && !isEnded(registration.in_state)
            ? 'Needs review'
            : registration.payment_status_display
        }
      />
      {isPartlyPaid && (
        <>
          {' '}
          <Badge tone="wait" icon="clock">
            {dueText}
          </Badge>
        </>
      )}
    </>
  )
}

/** Shows a registration number in groups of four. CSS adds the gaps, so that the copied number contains no spaces. */
export function RegNumber({ text: regNo }: { readonly text: string }) {
  const digits = /\d*$/.exec(regNo)?.[0] ?? ''
  const prefix = regNo.slice(0, regNo.length - digits.length)
  const groups = digits.match(/.{1,4}/g) ?? []
  return (
    <span className="regno">
      {prefix && <span>{prefix}</span>}
      {groups.map((group, index) => (
        <span key={index}>{group}</span>
      ))}
    </span>
  )
}
