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
  success: { tone: 'good', icon: 'tick', word: paymentStatus.success },
  failed: { tone: 'bad', icon: 'cross', word: paymentStatus.failed },
  pending: { tone: 'wait', icon: 'clock', word: paymentStatus.pending },
  refunded: { tone: 'back', icon: 'back', word: paymentStatus.refunded },
  review: { tone: 'care', icon: 'tri', word: paymentStatus.review },
  ended: { tone: 'ended', icon: 'cross', word: ENDED_LABEL },
} as const satisfies Record<
  PaymentStatus | 'review' | 'ended',
  { tone: Tone; icon: IconName; word: string }
>

/** Shows the badge of a payment status; `word` replaces the default label (an event file may name it). */
export function PaymentStatusBadge({
  is,
  word,
}: {
  readonly is: PaymentStatus | 'review' | 'ended'
  readonly word?: string
}) {
  const badge = badges[is]
  return (
    <Badge tone={badge.tone} icon={badge.icon}>
      {word ?? badge.word}
    </Badge>
  )
}
