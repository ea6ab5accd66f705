/** The test pricing context: a discount code, full quotas, member list entries. */
import { listSeatPools, getOwn } from '../../../engine/index.ts'
import type { EventConfig, PricingContext, SeatPool } from '../../../engine/index.ts'
import { CheckboxList } from './test-answer-field.tsx'

const INVALID_CODES = {
  unknown: 'A code that does not exist',
  spent: 'A code that is used up',
} as const

/** Renders nothing if the event has no discount codes, quotas or member lists. */
export function PricingContextFields({
  event,
  context,
  onChange,
}: {
  readonly event: EventConfig
  readonly context: PricingContext
  readonly onChange: (context: PricingContext) => void
}) {
  const { codeKinds, quotas } = event
  const code =
    context.code === null ? '' : context.code.is === 'valid' ? context.code.kind : context.code.is
  return (
    <>
      {codeKinds.length > 0 && (
        <label>
          Discount code
          <select
            value={code}
            onChange={({ target: { value } }) => onChange({ ...context, code: readCode(value) })}
          >
            <option value="">None</option>
            {codeKinds.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
            {Object.entries(INVALID_CODES).map(([id, label]) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {event.fields.map((field) => (
        <MemberListField
          key={field.id}
          event={event}
          id={field.id}
          context={context}
          onChange={onChange}
        />
      ))}
      {quotas.length > 0 && (
        <CheckboxList
          title="No seats left"
          boxes={listSeatPools(quotas).map((pool) => ({
            id: pool.id,
            label: formatSeatsLabel(event, pool),
          }))}
          isTicked={(id) => getOwn(context.left, id) === 0}
          onToggle={(id) => {
            const { [id]: previous, ...otherSeats } = context.left
            onChange({
              ...context,
              left: previous === undefined ? { ...otherSeats, [id]: 0 } : otherSeats,
            })
          }}
        />
      )}
    </>
  )
}

/** Formats the label for a quota's seats: its option's label, or else the quota's id. */
function formatSeatsLabel(event: EventConfig, { id, option, quota }: SeatPool): string {
  const field = event.fields.find((candidate) => candidate.id === quota.eachOptionOf)
  const label = field?.options?.find((candidate) => candidate.id === option)?.label
  return label === undefined ? id : `Seats for ${label}`
}

const readCode = (value: string): PricingContext['code'] =>
  value === ''
    ? null
    : value === 'unknown' || value === 'spent'
      ? { is: value }
      : { is: 'valid', kind: value }

/**
 * Selects the member list entry for a field's answer: a column option, not found, or not looked up.
 */
function MemberListField({
  event,
  id,
  context,
  onChange,
}: {
  readonly event: EventConfig
  readonly id: string
  readonly context: PricingContext
  readonly onChange: (context: PricingContext) => void
}) {
  const field = event.fields.find((field) => field.id === id)
  const memberList = event.memberLists.find((memberList) => memberList.id === field?.roll)
  if (field === undefined || memberList === undefined) return null
  const row = getOwn(context.memberRecords, id)
  const rows = memberList.columns.flatMap((column) =>
    (column.options ?? []).map((option) => ({ column: column.id, option })),
  )
  const selectedRow = rows.find(
    ({ column, option }) => row != null && getOwn(row, column) === option,
  )
  return (
    <label>
      {field.label}: entry in the member list
      <select
        value={
          row === null
            ? 'none'
            : selectedRow === undefined
              ? ''
              : `${selectedRow.column}=${selectedRow.option}`
        }
        onChange={({ target: { value } }) => {
          const { [id]: _previousEntry, ...otherEntries } = context.memberRecords
          const [column = '', option = ''] = value.split('=')
          const newEntry =
            value === '' ? {} : { [id]: value === 'none' ? null : { [column]: option } }
          onChange({ ...context, memberRecords: { ...otherEntries, ...newEntry } })
        }}
      >
        <option value="">Not looked up</option>
        {rows.map(({ column, option }) => (
          <option key={`${column}=${option}`} value={`${column}=${option}`}>
            {column}: {option}
          </option>
        ))}
        <option value="none">Not in the member list</option>
      </select>
    </label>
  )
}
