/** The test pricing context: a discount code, full quotas, member list entries. */
import { allSeatPools, own } from '../../../engine/index.ts'
import type { EventConfig, PricingContext } from '../../../engine/index.ts'
import { Boxes } from './test-answer-field.tsx'

const NO_CODE = { unknown: 'One that does not exist', spent: 'One that has been used up' } as const

/** Renders nothing if the event has no discount codes, quotas or member lists. */
export function AskFacts({
  event,
  facts,
  change,
}: {
  readonly event: EventConfig
  readonly facts: PricingContext
  readonly change: (facts: PricingContext) => void
}) {
  const { codeKinds, quotas } = event
  const code =
    facts.code === null ? '' : facts.code.is === 'valid' ? facts.code.kind : facts.code.is
  return (
    <>
      {codeKinds.length > 0 && (
        <label>
          Code
          <select
            value={code}
            onChange={({ target: { value } }) => change({ ...facts, code: codeOf(value) })}
          >
            <option value="">None</option>
            {codeKinds.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
            {Object.entries(NO_CODE).map(([id, label]) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {event.fields.map((field) => (
        <AskRoll key={field.id} event={event} id={field.id} facts={facts} change={change} />
      ))}
      {quotas.length > 0 && (
        <Boxes
          title="No place is left"
          boxes={allSeatPools(quotas).map(({ id }) => ({ id, label: id }))}
          isTicked={(id) => own(facts.left, id) === 0}
          tick={(id) => {
            const { [id]: was, ...left } = facts.left
            change({ ...facts, left: was === undefined ? { ...left, [id]: 0 } : left })
          }}
        />
      )}
    </>
  )
}

const codeOf = (value: string): PricingContext['code'] =>
  value === ''
    ? null
    : value === 'unknown' || value === 'spent'
      ? { is: value }
      : { is: 'valid', kind: value }

/**
 * The member list's entry for a field's answer: each choice of its columns, not found, or nothing.
 */
function AskRoll({
  event,
  id,
  facts,
  change,
}: {
  readonly event: EventConfig
  readonly id: string
  readonly facts: PricingContext
  readonly change: (facts: PricingContext) => void
}) {
  const field = event.fields.find((one) => one.id === id)
  const roll = event.memberLists.find((one) => one.id === field?.roll)
  if (field === undefined || roll === undefined) return null
  const row = own(facts.rolls, id)
  const rows = roll.columns.flatMap((column) =>
    (column.options ?? []).map((option) => ({ column: column.id, option })),
  )
  const given = rows.find(({ column, option }) => row != null && own(row, column) === option)
  return (
    <label>
      {field.label}: the roll says
      <select
        value={row === null ? 'none' : given === undefined ? '' : `${given.column}=${given.option}`}
        onChange={({ target: { value } }) => {
          const { [id]: _was, ...others } = facts.rolls
          const [column = '', option = ''] = value.split('=')
          const now = value === '' ? {} : { [id]: value === 'none' ? null : { [column]: option } }
          change({ ...facts, rolls: { ...others, ...now } })
        }}
      >
        <option value="">Not asked</option>
        {rows.map(({ column, option }) => (
          <option key={`${column}=${option}`} value={`${column}=${option}`}>
            {column}: {option}
          </option>
        ))}
        <option value="none">Not on the roll</option>
      </select>
    </label>
  )
}
