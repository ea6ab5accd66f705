/** The badge of a payment status: its label, icon and colour. */
import { ENDED_LABEL } from '../../engine/index.ts'
import { COMMON_MESSAGES } from '../../engine/messages.ts'
import type { PaymentStatus } from '../../engine/index.ts'
import { Icon } from './icons-and-logo.tsx'
import type { IconName } from './icons-and-logo.tsx'

export type Tone = 'good' | 'bad' | 'wait' | 'care' | 'back' | 'ended'

/** Shows icon, label and colour, never colour alone. */
export function Badge({
  tone,
  icon,
  children,
}: {
  readonly tone: Tone
  readonly icon: IconName
  readonly children: string
}) {
  return (
    <span className={`badge ${tone}`}>
      <Icon name={icon} small />
      {children}
    </span>
  )
}

const { paymentStatus } = COMMON_MESSAGES

const badges = {
  success: { tone: 'good', icon: 'tick', label: paymentStatus.success },
  failed: { tone: 'bad', icon: 'cross', label: paymentStatus.failed },
  pending: { tone: 'wait', icon: 'clock', label: paymentStatus.pending },
  refunded: { tone: 'back', icon: 'back', label: paymentStatus.refunded },
  review: { tone: 'care', icon: 'tri', label: paymentStatus.review },
  ended: { tone: 'ended', icon: 'cross', label: ENDED_LABEL },
} as const satisfies Record<
  PaymentStatus | 'review' | 'ended',
  { tone: Tone; icon: IconName; label: string }
>

/** Shows the badge of a payment status. `label` replaces the default label, for example with the event file's label. */
export function PaymentStatusBadge({
  is,
  label,
}: {
  readonly is: PaymentStatus | 'review' | 'ended'
  readonly label?: string
}) {
  const badge = badges[is]
  return (
    <Badge tone={badge.tone} icon={badge.icon}>
      {label ?? badge.label}
    </Badge>
  )
}
