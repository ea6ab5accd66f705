/** Splits a line of a bank statement between several people. */
import { useState } from 'react'
import type { WireStatementLine } from '../../../engine/api.ts'
import { readAmount, toMajorUnits } from '../../../engine/index.ts'
import type { Currency } from '../../../engine/index.ts'
import {
  addAmounts,
  formatAmountLabel,
  formatForInput,
  formatSignedMoney,
} from '../ui/format-amount.ts'
import { FindPayer } from './find-payer.tsx'

export type Part = {
  readonly reg_no: string
  readonly amount: number
  /** Why the payer may pay less. Absent if the amount is the balance. */
  readonly difference?: string
}
type Row = {
  readonly regNo: string
  readonly name: string
  readonly amount: string
  readonly difference: string
}

type SplitLineProps = {
  readonly line: WireStatementLine
  readonly currency: Currency
  readonly isBusy: boolean
  readonly onAssign: (parts: readonly Part[]) => void
  readonly onCancel: () => void
}

/** Shows a row for each person. The amounts must add up to the remaining amount of the line. */
export function SplitLine({ line, currency, isBusy, onAssign, onCancel }: SplitLineProps) {
  const [rows, setRows] = useState<readonly Row[]>([])
  const amounts = rows.map(({ amount }) => {
    const value = readAmount(amount, currency)
    return value === null ? 0 : toMajorUnits(value, currency)
  })
  const remainingAmount = addAmounts([line.left, ...amounts.map((amount) => -amount)], currency)
  const updateRow = (regNo: string, changes: Partial<Row>) =>
    setRows(rows.map((row) => (row.regNo === regNo ? { ...row, ...changes } : row)))
  return (
    <form
      className="split-line"
      aria-label={`Split line ${line.line}`}
      onSubmit={(event) => {
        event.preventDefault()
        if (remainingAmount === 0)
          onAssign(
            rows.map(({ regNo, difference }, index) => ({
              reg_no: regNo,
              amount: amounts[index] ?? 0,
              ...(difference.trim() !== '' && { difference: difference.trim() }),
            })),
          )
      }}
    >
      {rows.map(({ regNo, name, amount, difference }) => (
        <fieldset key={regNo}>
          <legend>
            {name} <small>{regNo}</small>
          </legend>
          <label>
            {formatAmountLabel('Amount', currency)}
            <input
              inputMode="decimal"
              value={amount}
              onChange={({ target }) => updateRow(regNo, { amount: target.value })}
            />
          </label>
          <label>
            Reason for underpayment, such as TDS (optional)
            <input
              maxLength={200}
              value={difference}
              onChange={({ target }) => updateRow(regNo, { difference: target.value })}
            />
          </label>
          <button
            type="button"
            className="btn line sm"
            onClick={() => setRows(rows.filter((row) => row.regNo !== regNo))}
          >
            Remove<span className="vh"> {name}</span>
          </button>
        </fieldset>
      ))}
      <FindPayer
        label={`Add a person to line ${line.line}`}
        hasFocus
        onSelect={({ reg_no: regNo, name, total }) => {
          if (rows.some((row) => row.regNo === regNo)) return
          const amount = total === null ? remainingAmount : Math.min(total, remainingAmount)
          const newRow = { regNo, name, amount: formatForInput(amount, currency), difference: '' }
          setRows([...rows, newRow])
        }}
      />
      <p role="status" className={remainingAmount === 0 ? 'mute' : 'care'}>
        {remainingAmount === 0
          ? 'The amounts add up.'
          : remainingAmount > 0
            ? `${formatSignedMoney(remainingAmount, currency)} still to assign.`
            : `${formatSignedMoney(-remainingAmount, currency)} too much.`}
      </p>
      <div className="row-actions">
        <button
          type="submit"
          className="btn sm"
          disabled={remainingAmount !== 0 || rows.length === 0 || isBusy}
        >
          Assign to {rows.length} {rows.length === 1 ? 'person' : 'people'}
        </button>
        <button type="button" className="btn line sm" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}
