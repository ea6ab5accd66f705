/** The layout of a field: label, hint and message above the input, visible beside a phone's keyboard. */
import { errorId, helpId } from '@rjsf/utils'
import type { FieldErrorProps, FieldHelpProps, FieldTemplateProps } from '@rjsf/utils'
import { use } from 'react'
import { assertNever } from '../../../engine/index.ts'
import { COMMON_MESSAGES } from '../../../engine/messages.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Marks, Must } from '../form/form-context.ts'
import type { FormConstants } from '../form/form-context.ts'
import { describedBy } from './field-control.tsx'
import { personName } from '../form/field-keys.ts'
import { wayOf } from './choose-field-widget.ts'
import './field-layout.css'

/**
 * Replaces the theme's FieldTemplate, which puts hint and message below the input, where a phone's
 * keyboard hides them; leaves the label to the widget, so that rows and boxes have none; and knows
 * only the fields that the schema always requires, not those that the current answers require.
 */
export function Question(props: FieldTemplateProps) {
  const { children, errors, fieldPathId, help, id, rawErrors, registry } = props
  const { event, fields } = registry.formContext as FormConstants
  const must = use(Must)
  const marks = use(Marks)
  const [id0 = '', at, part] = fieldPathId.path
  const key = part === undefined ? String(id0) : `${id0}.${part}`
  const field = fields.get(key)
  // RJSF treats the form and each person as fields too; the section sheet and the list render them.
  if (field === undefined || (at !== undefined && part === undefined)) return children
  const way = wayOf(field)
  const price = marks.get(key)?.price
  const label = (
    <>
      {part !== undefined && <span className="vh">{personName(Number(at))}: </span>}
      {field.label}
      {price && <i>: {price}</i>}
      {!must.has(key) && field.default === undefined && <i>{` ${COMMON_MESSAGES.optional}`}</i>}
    </>
  )
  const body = (() => {
    switch (way) {
      case 'rows':
      case 'yes-no':
      case 'boxes':
      case 'people':
        return (
          // Both the group and its radios reference hint and message, because some screen readers
          // skip the group.
          <fieldset aria-describedby={describedBy(id, Boolean(props.rawHelp), rawErrors?.[0])}>
            <legend className={event.sections[field.section]?.title === field.label ? 'vh' : 'lab'}>
              {label}
            </legend>
            {help}
            {errors}
            {children}
          </fieldset>
        )
      case 'consent':
        return (
          <>
            {help}
            {errors}
            {children}
          </>
        )
      case 'switch':
        return (
          <>
            {help}
            {errors}
            <label className="sw-row" htmlFor={id}>
              <span id={`${id}-label`}>{label}</span>
              {children}
            </label>
          </>
        )
      case 'file':
      case 'menu':
        return (
          <>
            <span className="lab" id={`${id}-label`}>
              {label}
            </span>
            {help}
            {errors}
            {children}
          </>
        )
      case 'line':
      case 'lines':
      case 'list':
        return (
          <>
            <label className="lab" htmlFor={id}>
              {label}
            </label>
            {help}
            {errors}
            {children}
          </>
        )
      default:
        return assertNever(way)
    }
  })()
  return (
    <div className={rawErrors === undefined ? 'f' : 'f bad'}>
      {body}
      {field.roll !== undefined && <Found id={field.id} />}
    </div>
  )
}

/** The member list's entry for the number that was entered, so that the delegate can confirm it. */
function Found({ id }: { readonly id: string }) {
  const said = use(Marks).get(id)?.said
  return (
    <p className="found" aria-live="polite">
      {said && (
        <>
          <Icon name="tick" />
          {said}
        </>
      )}
    </p>
  )
}

/**
 * Replaces the theme's FieldErrorTemplate, which renders a list of captions. A message is one line
 * with an icon, in the event file's words.
 */
export function Message({ errors, fieldPathId }: FieldErrorProps) {
  const text = errors?.[0]
  if (text === undefined) return null
  return (
    <p className="msg" id={errorId(fieldPathId)}>
      <Icon name="bang" />
      {text}
    </p>
  )
}

/**
 * Replaces the theme's FieldHelpTemplate, which supports rich text. Event files' hints are plain
 * text.
 */
export function Hint({ help, fieldPathId }: FieldHelpProps) {
  return help ? (
    <div className="hint" id={helpId(fieldPathId)}>
      {help}
    </div>
  ) : null
}
