/** The fields that record a manual payment, with the delegate's payment claim. */
import { useState } from 'react'
import {
  amountText,
  formatDayShort,
  formatMoney,
  fromRupees,
  isManualMethod,
  MANUAL_METHOD_IDS,
  describeMethod,
} from '../../../engine/index.ts'
import type { Day, ManualMethod } from '../../../engine/index.ts'
import type { ActionsAnswer, WirePaymentClaim } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'

/** Cash and the card machine replace "at the desk", which older payments were recorded with. */
const OFFERED_METHODS = MANUAL_METHOD_IDS.filter((id) => id !== 'desk')

/**
 * The amount is entered as received; a mismatch becomes a payment review. The payment claim's
 * values are the defaults.
 */
export function Came({ told: reported, today }: Pick<ActionsAnswer, 'told' | 'today'>) {
  const [way, setWay] = useState<ManualMethod>('transfer')
  // A claim that was found is recorded already, and one that was not found did not arrive.
  const told =
    reported?.stands === 'looking' || reported?.stands === 'unconfirmed' ? reported : null
  return (
    <>
      {told !== null && <Told told={told} />}
      <label>
        Payment method
        <select
          name="way"
          value={way}
          onChange={({ target }) => {
            if (isManualMethod(target.value)) setWay(target.value)
          }}
        >
          {OFFERED_METHODS.map((id) => (
            <option key={id} value={id}>
              {describeMethod(id).words}
            </option>
          ))}
        </select>
      </label>
      <label>
        {describeMethod(way).asks}
        <input
          name="reference"
          required
          maxLength={64}
          autoComplete="off"
          defaultValue={told?.reference ?? ''}
        />
      </label>
      <label>
        Amount received
        <input
          name="amount"
          inputMode="decimal"
          required
          autoComplete="off"
          defaultValue={told === null || told.amount === 0 ? '' : typed(told.amount)}
        />
      </label>
      <label>
        Date received
        <input name="day" type="date" defaultValue={told?.paid_on ?? today} />
      </label>
    </>
  )
}

/** The delegate's payment claim, with its screenshot beside the amount. */
export function Told({ told }: { readonly told: WirePaymentClaim }) {
  const { label, reference, amount, paid_on: day, answers, stands } = told
  const paise = stands === 'looking' && amount > 0 ? fromRupees(amount) : null
  return (
    <div className="told">
      <p>
        Reported by delegate:{paise === null ? '' : ` ${formatMoney(paise)} by`} {label}
        {day === null ? '' : ` on ${formatDayShort(day as Day)}`}, <b>{reference}</b>.{' '}
        {STANDS[stands]}
      </p>
      {answers.map((answer) => (
        <p key={answer.label}>
          {answer.label}:{' '}
          {answer.href === undefined ? (
            answer.text
          ) : (
            <a className="link" href={answer.href} download={answer.text}>
              <Icon name="file" small />
              {answer.text}
            </a>
          )}
        </p>
      ))}
    </div>
  )
}

const STANDS = {
  looking: '',
  found: 'Recorded.',
  not_found: 'Staff did not find it.',
  unconfirmed: 'Not confirmed, and no longer expected.',
} as const satisfies Readonly<Record<WirePaymentClaim['stands'], string>>

/** Formats rupees for an input: 590 and 590.50. */
export function typed(amount: number): string {
  const paise = fromRupees(amount)
  return paise === null ? '' : amountText(paise).replace(/\.00$/, '')
}
