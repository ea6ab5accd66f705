/** The cancellation rule: no refund, or a percentage of the payment that depends on the date. */
import { useId } from 'react'
import type { Day } from '../../../engine/index.ts'
import { readRefundSteps, splitRefundSteps } from '../../../engine/authoring.ts'
import type { NewEventAnswers } from '../../../engine/authoring.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { removeAt } from './answers.ts'
import { DayField } from './day-field.tsx'

type RefundFieldProps = {
  readonly earlierAnswers: NewEventAnswers
  readonly today: Day
  readonly labelledBy: string
  /** "none", or a line such as "2027-01-31: 75" for each row; empty if it is not known. */
  readonly value: string
  readonly isChecked: boolean
  readonly onChange: (text: string) => void
}
type Row = ReturnType<typeof splitRefundSteps>[number]

const NONE = 'none'
const EMPTY_ROW: Row = { day: '', percent: '' }
const CHOICES = [
  ['unknown', 'Not sure yet'],
  [NONE, 'Nothing is refunded'],
  ['by day', 'Part of the payment, depending on the cancellation date'],
] as const

const writeRows = (rows: readonly Row[]): string =>
  rows.map(({ day, percent }) => `${day}: ${percent}`).join('\n')

export function RefundField(props: RefundFieldProps) {
  const { earlierAnswers, today, labelledBy, value, isChecked, onChange } = props
  const id = useId()
  const rows = value === NONE ? [] : splitRefundSteps(value)
  const selectedChoice = value === NONE ? NONE : rows.length > 0 ? 'by day' : 'unknown'
  const problems =
    isChecked && rows.length > 0 ? readRefundSteps(value, earlierAnswers, today).problems : []
  const choose = (choice: (typeof CHOICES)[number][0]): void =>
    onChange(choice === NONE ? NONE : choice === 'unknown' ? '' : writeRows([EMPTY_ROW]))
  const setRow = (at: number, part: Partial<Row>): void =>
    onChange(writeRows(rows.map((row, index) => (index === at ? { ...row, ...part } : row))))
  const markInvalid = (step: number, part: 'day' | 'percent') =>
    problems.some((problem) => problem.step === step && problem.part === part)
      ? { 'aria-invalid': true, 'aria-describedby': `${id}-${step}` }
      : {}
  return (
    <div className="org-answer">
      <div role="radiogroup" aria-labelledby={labelledBy}>
        {CHOICES.map(([choice, label]) => (
          <label key={choice} className="org-radio">
            <input
              type="radio"
              name={id}
              checked={choice === selectedChoice}
              onChange={() => choose(choice)}
            />
            {label}
          </label>
        ))}
      </div>
      {rows.map((row, at) => {
        const rowProblems = problems.filter(({ step }) => step === at)
        return (
          <div key={at}>
            <div className="org-refund">
              <DayField
                label="Until"
                value={row.day}
                {...markInvalid(at, 'day')}
                onChange={(day) => setRow(at, { day })}
              />
              <label>
                Refund percentage
                <input
                  inputMode="numeric"
                  value={row.percent}
                  {...markInvalid(at, 'percent')}
                  onChange={({ target }) =>
                    setRow(at, { percent: target.value.replace(/[\s;:%]/g, '') })
                  }
                />
              </label>
              {rows.length > 1 && (
                <button
                  type="button"
                  className="link"
                  onClick={() => onChange(writeRows(removeAt(rows, at)))}
                >
                  Remove<span className="vh"> row {at + 1}</span>
                </button>
              )}
            </div>
            <div id={`${id}-${at}`}>
              {rowProblems.map(({ message }) => (
                <p key={message} className="org-error">
                  <Icon name="bang" />
                  {message}
                </p>
              ))}
            </div>
          </div>
        )
      })}
      {rows.length > 0 && (
        <>
          <p className="mute">
            Each refund applies until the end of its date. After the final date, nothing is
            refunded.
          </p>
          <div className="org-fees-add">
            <button
              type="button"
              className="btn line sm"
              onClick={() => onChange(writeRows([...rows, EMPTY_ROW]))}
            >
              <Icon name="plus" />
              Add a date
            </button>
          </div>
        </>
      )}
    </div>
  )
}
