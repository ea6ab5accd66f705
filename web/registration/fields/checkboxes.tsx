/** Boxes to tick: several of the options of a question, and one to agree with. */
import Checkbox from '@mui/material/Checkbox'
import type Radio from '@mui/material/Radio'
import type { WidgetProps } from '@rjsf/utils'
import { Dot, Rows } from './radio-choices.tsx'
import { useControl } from './field-control.tsx'
import './checkboxes.css'

/** The rows of a choice, of which several may be ticked. The theme's CheckboxesWidget has a label each. */
export function Boxes(props: WidgetProps) {
  const { field, change } = useControl(props)
  const chosen: readonly unknown[] = Array.isArray(props.value) ? props.value : []
  const options = (field.options ?? []).map(({ id }) => id)
  return (
    <Rows
      props={props}
      Box={Checkbox as unknown as typeof Radio}
      isChosen={(id) => chosen.includes(id)}
      choose={(id) => change(options.filter((one) => chosen.includes(one) !== (one === id)))}
    />
  )
}

/** One box with what is agreed to, and where its whole text stands. Unticked it is no answer: a No is none either. */
export function Consent(props: WidgetProps) {
  const { id, value } = props
  const { field, name, aria, change, leave } = useControl(props)
  const isGiven = value === true
  return (
    <div className="agree">
      <label className={isGiven ? 'cat on' : 'cat'} htmlFor={id}>
        <Checkbox
          icon={Dot}
          checkedIcon={Dot}
          checked={isGiven}
          disabled={props.disabled === true}
          onChange={(event) => change(event.target.checked)}
          onBlur={leave}
          name={name}
          slotProps={{ input: { id, ...aria } }}
        />
        <strong>
          {field.label}
          {field.required === undefined && <i> (optional)</i>}
        </strong>
      </label>
      {field.link !== undefined && (
        <a href={field.link} target="_blank" rel="noopener">
          Read the whole text<span className="vh"> (opens in a new tab): {field.label}</span>
        </a>
      )}
    </div>
  )
}
