/** Checkbox fields: several options of a field, or one consent. */
import Checkbox from '@mui/material/Checkbox'
import type Radio from '@mui/material/Radio'
import type { WidgetProps } from '@rjsf/utils'
import { COMMON_MESSAGES, EXTENDED_FORM_MESSAGES } from '../../../engine/messages.ts'
import { renderHiddenText, renderMessage } from '../../ui/rich-message.tsx'
import { OptionMark, OptionRows } from './radio-choices.tsx'
import { useControl } from './field-control.tsx'
import './checkboxes.css'

/** Shows the rows of a choice with several answers. The theme's CheckboxesWidget renders only labels. */
export function Checkboxes(props: WidgetProps) {
  const { field, change } = useControl(props)
  const selectedIds: readonly unknown[] = Array.isArray(props.value) ? props.value : []
  const options = (field.options ?? []).map(({ id }) => id)
  return (
    <OptionRows
      props={props}
      Box={Checkbox as unknown as typeof Radio}
      isChosen={(id) => selectedIds.includes(id)}
      choose={(id) =>
        change(options.filter((option) => selectedIds.includes(option) !== (option === id)))
      }
    />
  )
}

/**
 * Shows one consent checkbox with its text and a link to the full text. Unticked counts as unanswered, because a
 * consent has no "No".
 */
export function ConsentCheckbox(props: WidgetProps) {
  const { id, value } = props
  const { field, name, aria, change, onLeave } = useControl(props)
  const isTicked = value === true
  return (
    <div className="agree">
      <label className={isTicked ? 'cat on' : 'cat'} htmlFor={id}>
        <Checkbox
          icon={OptionMark}
          checkedIcon={OptionMark}
          checked={isTicked}
          disabled={props.disabled === true}
          onChange={(event) => change(event.target.checked)}
          onBlur={onLeave}
          name={name}
          slotProps={{ input: { id, ...aria } }}
        />
        <strong>
          {field.label}
          {field.required === undefined && <i>{` ${COMMON_MESSAGES.optional}`}</i>}
        </strong>
      </label>
      {field.link !== undefined && (
        <a href={field.link} target="_blank" rel="noopener">
          {renderMessage(EXTENDED_FORM_MESSAGES.readWholeText, {
            hidden: renderHiddenText,
            label: field.label,
          })}
        </a>
      )}
    </div>
  )
}
