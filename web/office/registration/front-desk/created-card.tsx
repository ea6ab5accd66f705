/** The card after adding a person at the front desk: number, amount and next steps. */
import { useEffect, useRef } from 'react'
import { Link } from 'react-router-dom'
import type { RegistrationState } from '../../../../engine/index.ts'
import type { OfficeEvent } from '../../../../engine/api.ts'
import { buildRegistrationUrl } from '../../office-api-and-urls.ts'
import { ActionOutcome } from '../../ui/action-outcome.tsx'
import { RegNumber } from '../../ui/error-banner-and-heading.tsx'
import { ACTION_LABELS } from '../action-buttons.ts'
import type { ButtonAction } from '../action-buttons.ts'
import { useActionDialog } from '../actions/action-dialog-state.tsx'
import { useActions } from '../actions/use-actions.ts'

export type CreatedRegistration = {
  readonly regNo: string
  readonly state: RegistrationState
  /** The entered name, or the registration number if the form does not ask for a name. */
  readonly name: string
  /** The amount with its currency: "₹ 8,260". Empty if the registration has no price yet. */
  readonly amount: string
}

/** Shows the summary. Screen readers announce it, because the focused form has disappeared. */
export function CreatedSummary({
  createdRegistration: { name, state, amount },
}: {
  readonly createdRegistration: CreatedRegistration
}) {
  return (
    <p className="created-summary">
      <b>{name}</b>{' '}
      {state === 'complete' ? 'has registered and paid.' : 'has registered but has not paid yet.'}
      {amount !== '' && ` ${state === 'complete' ? 'Received' : 'Due'}: ${amount}`}
    </p>
  )
}

/** The usual next steps at the front desk, in order. */
const NEXT_STEPS = ['confirm', 'send_pay_link', 'resend'] as const satisfies readonly ButtonAction[]

export function CreatedCard({
  event,
  createdRegistration: { regNo },
  onAddAnother,
}: {
  readonly event: OfficeEvent
  readonly createdRegistration: CreatedRegistration
  readonly onAddAnother: () => void
}) {
  const query = useActions(regNo)
  const { open, dialog, outcome } = useActionDialog({
    regNo,
    reload: async () => (await query.refetch()).data,
    onDone: () => {},
  })
  const addAnotherButton = useRef<HTMLButtonElement>(null)
  useEffect(() => addAnotherButton.current?.focus(), [])
  const { data } = query
  return (
    <section className="panel created" aria-label="Added registration">
      <p className="big">
        <Link to={buildRegistrationUrl(event, regNo)} aria-label={regNo}>
          <RegNumber text={regNo} />
        </Link>
      </p>
      <ActionOutcome outcome={outcome} />
      <div className="action-buttons">
        {data !== undefined &&
          NEXT_STEPS.filter((button) => data.allowed.includes(button)).map((button) => (
            <button
              key={button}
              type="button"
              className="btn line sm"
              onClick={() => open(button, data)}
            >
              {ACTION_LABELS[button]}
            </button>
          ))}
        <button ref={addAnotherButton} type="button" className="btn sm" onClick={onAddAnother}>
          Add another
        </button>
      </div>
      {dialog}
    </section>
  )
}
