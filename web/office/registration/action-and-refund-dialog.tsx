/** The dialog of an action: its reason and its additional fields. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import { formatMoney, fromRupees } from '../../../engine/index.ts'
import type { ActionsAnswer } from '../../../engine/api.ts'
import type { ApiError } from '../../app/api-client.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Ledger } from '../../ui/details-list.tsx'
import type { LedgerRow } from '../../ui/details-list.tsx'
import { SeenFirst } from './approval-dialog-content.tsx'
import { Came, Told, typed } from './record-payment-fields.tsx'
import { ChangedAnswers, NewPerson } from './correct-answers-fields.tsx'
import type { ActWords, Button } from './action-buttons.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'

type ActDialogProps = {
  readonly button: Button
  readonly title: string
  readonly standing: ActionsAnswer
  readonly refused: ApiError | null
  readonly isBusy: boolean
  readonly onDo: (words: ActWords) => void
  readonly onClose: () => void
}

/** Idempotency key per opened dialog, so that a double click performs the action once. */
function freshKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

export function ActDialog(props: ActDialogProps) {
  const { button, title, standing, refused, isBusy, onDo, onClose } = props
  const [key] = useState(freshKey)
  const [answers, setAnswers] = useState<Readonly<Record<string, unknown>>>({})
  const agreed = refused?.code === 'price_changes' ? (refused.answer?.quote?.total ?? null) : null
  const label = agreed === null ? title : 'Agree and correct'
  return (
    <Dialog title={title} onClose={onClose}>
      {refused && agreed === null && <Banner text={refused.message} />}
      {refused && agreed !== null && (
        <p className="care" role="alert">
          <Icon name="info" small />
          {refused.message}
        </p>
      )}
      <form
        className="making"
        onSubmit={(submitted) => {
          submitted.preventDefault()
          const data = new FormData(submitted.currentTarget)
          const words = wordsIn(button, data, answers, standing)
          onDo({
            ...words,
            key,
            ...(agreed !== null && { total: agreed }),
          })
        }}
      >
        <Questions {...{ button, standing, setAnswers }} />
        <label>
          {button === 'note' ? 'Note' : !asksWhy(button) ? 'Reason (optional)' : 'Reason'}
          <textarea
            name="why"
            rows={3}
            maxLength={500}
            required={asksWhy(button)}
            autoComplete="off"
          />
        </label>
        <div className="acts">
          <button type="submit" className="btn" disabled={isBusy}>
            {label}
          </button>
          <button type="button" className="btn line" onClick={onClose}>
            {button === 'cancel' ? 'Keep registration' : 'Cancel'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** Actions that need no reason; the others do. */
const WITHOUT_WHY: ReadonlySet<Button> = new Set([
  'send_pay_link',
  'confirm',
  'came_again',
  'approve',
  'take_up',
  'resend',
])
const asksWhy = (button: Button): boolean => !WITHOUT_WHY.has(button)

/** Converts the form's fields to the call's parameters. */
function wordsIn(
  button: Button,
  data: FormData,
  answers: Readonly<Record<string, unknown>>,
  { kept }: ActionsAnswer,
): ActWords {
  const text = (name: string): string => String(data.get(name) ?? '').trim()
  const why = text('why')
  switch (button) {
    case 'correct':
    case 'transfer':
      return { act: button, why, answers }
    case 'confirm':
    case 'came_again': {
      const [way, reference, amount, day] = ['way', 'reference', 'amount', 'day'].map(text)
      return { act: button, why, way, reference, amount, day }
    }
    case 'cancel':
      return { act: button, why, pay_back: text('pay_back'), kept }
    case 'refund': {
      const isByHand = data.get('by') === 'hand'
      const amount = text('amount')
      return isByHand
        ? { act: button, why, amount, by_hand: true, reference: text('reference') }
        : { act: button, why, amount }
    }
    case 'refuse':
      return data.get('offer') === 'on' ? { act: button, why, offer: true } : { act: button, why }
    case 'note':
    case 'approve':
    case 'erase':
    case 'not_found':
    case 'handle_refund':
    case 'take_up':
    case 'send_pay_link':
    case 'resend':
      return { act: button, why }
  }
}

type QuestionsProps = Pick<ActDialogProps, 'button' | 'standing'> & {
  readonly setAnswers: (answers: Readonly<Record<string, unknown>>) => void
}

function Questions({ button, standing, setAnswers }: QuestionsProps): ReactNode {
  switch (button) {
    case 'correct':
      return <ChangedAnswers fields={standing.fields} onChange={setAnswers} />
    case 'transfer':
      return <NewPerson {...standing} onChange={setAnswers} />
    case 'confirm':
      return <Came {...standing} />
    case 'came_again':
      return (
        <>
          <p>Nothing is due. The payment goes to review: the treasurer refunds it or moves it.</p>
          <Came {...standing} />
        </>
      )
    case 'cancel':
      return <PayBack {...standing} />
    case 'refund':
      return <GoesBack {...standing} />
    case 'approve':
    case 'refuse':
      return <SeenFirst {...standing} mayOffer={button === 'refuse'} />
    case 'erase':
      return <Erased {...standing} />
    case 'not_found':
      return standing.told === null ? null : <Told told={standing.told} />
    case 'handle_refund':
      return <p>Ask the payment gateway about the refund. Enter its answer as the reason.</p>
    case 'note':
    case 'take_up':
    case 'send_pay_link':
    case 'resend':
      return null
  }
}

const said = (amount: number): string => {
  const paise = fromRupees(amount)
  return paise === null ? '' : formatMoney(paise)
}

function PayBack({
  kept,
  proposed_back: proposed,
  cancellation,
  second_payment: second,
  pay_back: owedNow,
  reviews,
}: ActionsAnswer) {
  if (kept === 0)
    return (
      <>
        <p>{underReview(reviews) === 0 && 'Nothing was paid. '}This frees the seat.</p>
        <UnderReview reviews={reviews} />
      </>
    )
  const { paid, owed, remaining, percent, share, refunded } = cancellation
  // Goodwill counts towards what is owed, as it does in the proposal.
  const mustGoBack = Math.min(owedNow, proposed ?? owedNow)
  const rows: readonly LedgerRow[] = [
    { id: 'paid', label: 'Paid', value: said(paid) },
    ...(owed === 0 || second !== null
      ? []
      : [{ id: 'owed', label: 'Overpaid: refunded in full', value: said(owed) }]),
    ...(share === null || second !== null
      ? []
      : [
          {
            id: 'share',
            label: `${percent}% of the price of ${said(remaining)}`,
            value: said(share),
          },
        ]),
    ...(refunded === 0
      ? []
      : [{ id: 'refunded', label: 'Refunded so far', value: `− ${said(refunded)}` }]),
    ...(proposed === null
      ? []
      : [{ id: 'proposed', label: 'Proposed refund', value: said(proposed), total: true }]),
  ]
  return (
    <>
      <p>This frees the seat. It does not send the refund: refund the amount afterwards.</p>
      <UnderReview reviews={reviews} />
      {mustGoBack > 0 && <p>{said(mustGoBack)} must be refunded in any case.</p>}
      {second !== null && <p>This is a second payment: the full amount is proposed.</p>}
      {proposed === null && (
        <p>No refund rule is set for this event: enter the amount to refund.</p>
      )}
      <Ledger money rows={rows} />
      <label>
        Amount to refund
        <input
          name="pay_back"
          inputMode="decimal"
          defaultValue={typed(proposed ?? 0)}
          autoComplete="off"
        />
      </label>
    </>
  )
}

/** Received money that waits for a decision, so that no dialog says that nothing was paid. */
const underReview = (reviews: ActionsAnswer['reviews']): number =>
  reviews
    .filter(({ came, kind }) => came !== null && kind !== 'returned' && !kind.startsWith('refund'))
    .reduce((total, { left }) => total + left, 0)

function UnderReview({ reviews }: Pick<ActionsAnswer, 'reviews'>) {
  const sum = underReview(reviews)
  return (
    sum > 0 && (
      <p className="care">
        <Icon name="tri" small />
        Under review: {said(sum)}. Decide on it first.
      </p>
    )
  )
}

function Erased({ pay_back: back }: ActionsAnswer) {
  return (
    <>
      {back > 0 && (
        <p className="care">
          <Icon name="tri" small />
          {said(back)} is still to be refunded. Refund it before you erase the name and contact
          details.
        </p>
      )}
      <p>
        This erases the name, contact details, answers, files and emails. It cannot be undone.
        Payments, the documents that the law requires and the history are kept. An unpaid
        registration is cancelled.
      </p>
    </>
  )
}

function GoesBack({ kept, pay_back: back, back_by_gateway: byGateway, reviews }: ActionsAnswer) {
  const amount = back === 0 ? kept : back
  const [by, setBy] = useState(byGateway >= amount && amount > 0 ? 'gateway' : 'hand')
  return (
    <>
      <p>Refundable: {said(kept)}.</p>
      <UnderReview reviews={reviews} />
      {byGateway > 0 && byGateway < kept && (
        <p>The payment gateway can refund {said(byGateway)} of it.</p>
      )}
      <label>
        Amount to refund
        <input
          name="amount"
          inputMode="decimal"
          required
          defaultValue={typed(amount)}
          autoComplete="off"
        />
      </label>
      <label>
        Refund method
        <select name="by" value={by} onChange={({ target }) => setBy(target.value)}>
          {byGateway > 0 && <option value="gateway">Through the payment gateway, now</option>}
          <option value="hand">Already refunded outside Rollcall</option>
        </select>
      </label>
      {by === 'hand' && (
        <label>
          Transfer reference or slip number
          <input name="reference" required maxLength={64} autoComplete="off" />
        </label>
      )}
    </>
  )
}
