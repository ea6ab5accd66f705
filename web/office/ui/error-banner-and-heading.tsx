/** The components shared by office pages: banner, heading, registration number. */
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { isEnded } from '../../../engine/index.ts'
import type { PaymentStatus } from '../../../engine/index.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Badge, Status } from '../../ui/payment-status-badge.tsx'

type BannerProps = {
  readonly text: string
  readonly onDismiss?: () => void
  readonly action?: { readonly label: string; readonly go: () => void }
}

/**
 * An error above the content it concerns. Announced immediately; stays until it is dismissed or the
 * call is repeated.
 */
export function Banner({ text, onDismiss, action }: BannerProps) {
  return (
    <div className="banner" role="alert">
      <Icon name="bang" />
      <p>{text}</p>
      {action && (
        <button type="button" className="btn line sm" onClick={action.go}>
          {action.label}
        </button>
      )}
      {onDismiss && (
        <button type="button" className="plainb" aria-label="Dismiss" onClick={onDismiss}>
          <Icon name="cross" />
        </button>
      )}
    </div>
  )
}

/**
 * The page's only h1. Takes the focus when the page is opened, so that screen readers start there.
 */
export function Heading({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Rollcall office`
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

/**
 * State of a registration as reported by the server. A cancelled or expired one never looks paid.
 */
export function Stands({
  of,
  inList = false,
}: {
  readonly of: {
    readonly payment_status: PaymentStatus
    readonly payment_status_display: string
    readonly in_review: boolean
    readonly in_state?: unknown
  }
  /** The specification's lists say "Failed"; elsewhere it is a registration that nobody has paid. */
  readonly inList?: boolean
}) {
  const isUnpaidInReview = of.in_review && of.payment_status !== 'success'
  const isUnpaid = of.payment_status === 'failed' && !of.in_review && !isEnded(of.in_state)
  if (isUnpaid && !inList)
    return (
      <Badge tone="ended" icon="clock">
        Unpaid
      </Badge>
    )
  return (
    <Status
      is={isEnded(of.in_state) ? 'ended' : isUnpaidInReview ? 'review' : of.payment_status}
      word={isUnpaidInReview && !isEnded(of.in_state) ? 'Needs review' : of.payment_status_display}
    />
  )
}

/**
 * A registration number in groups of four. The gaps are CSS, so that copying gives the unbroken
 * number.
 */
export function RegNumber({ text }: { readonly text: string }) {
  const digits = /\d*$/.exec(text)?.[0] ?? ''
  const prefix = text.slice(0, text.length - digits.length)
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
