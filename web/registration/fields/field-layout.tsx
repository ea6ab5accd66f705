/** The layout of a field: label, hint and message above the input, where phone keyboards do not hide them. */
import { errorId, helpId } from '@rjsf/utils'
import type { FieldErrorProps, FieldHelpProps, FieldTemplateProps } from '@rjsf/utils'
import { use } from 'react'
import { assertNever } from '../../../engine/index.ts'
import { COMMON_MESSAGES } from '../../../engine/messages.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { OptionStatuses, RequiredFields } from '../form/form-context.ts'
import type { FormConstants } from '../form/form-context.ts'
import { getDescriptionIds } from './field-control.tsx'
import { getPersonName } from '../form/field-keys.ts'
import { chooseWidget } from './choose-field-widget.ts'
import './field-layout.css'

/**
 * Replaces the theme's FieldTemplate, which puts hint and message below the input, where a phone's
 * keyboard hides them. The theme also leaves the label to the widget, so that rows and boxes have
 * none, and marks only the fields that the schema always requires.
 */
export function FieldLayout(props: FieldTemplateProps) {
  const { children, errors, fieldPathId, help, id, rawErrors, registry } = props
  const { event, fields } = registry.formContext as FormConstants
  const requiredFields = use(RequiredFields)
  const statuses = use(OptionStatuses)
  const [fieldId = '', personIndex, subfieldId] = fieldPathId.path
  const key = subfieldId === undefined ? String(fieldId) : `${fieldId}.${subfieldId}`
  const field = fields.get(key)
  // RJSF treats the form and each person as fields too; the section sheet and the list render them.
  if (field === undefined || (personIndex !== undefined && subfieldId === undefined))
    return children
  const widget = chooseWidget(field)
  const price = statuses.get(key)?.price
  const label = (
    <>
      {subfieldId !== undefined && (
        <span className="vh">{getPersonName(Number(personIndex))}: </span>
      )}
      {field.label}
      {price && <i>: {price}</i>}
      {!requiredFields.has(key) && field.default === undefined && (
        <i>{` ${COMMON_MESSAGES.optional}`}</i>
      )}
    </>
  )
  const body = (() => {
    switch (widget) {
      case 'rows':
      case 'yes-no':
      case 'boxes':
      case 'people':
        return (
          // Both the group and its radios reference hint and message, because some screen readers
          // skip the group.
          <fieldset
            aria-describedby={getDescriptionIds(id, Boolean(props.rawHelp), rawErrors?.[0])}
          >
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
        return assertNever(widget)
    }
  })()
  return (
    <div className={rawErrors === undefined ? 'f' : 'f bad'}>
      {body}
      {field.roll !== undefined && <MemberEntry id={field.id} />}
    </div>
  )
}

/** Shows the member list entry for the typed number, so that the delegate can confirm it. */
function MemberEntry({ id }: { readonly id: string }) {
  const memberEntry = use(OptionStatuses).get(id)?.memberEntry
  return (
    <p className="member-entry" aria-live="polite">
      {memberEntry && (
        <>
          <Icon name="tick" />
          {memberEntry}
        </>
      )}
    </p>
  )
}

/**
 * Replaces the theme's FieldErrorTemplate, which renders a list of captions. Here a message is one
 * line with an icon.
 */
export function FieldMessage({ errors, fieldPathId }: FieldErrorProps) {
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
export function FieldHint({ help, fieldPathId }: FieldHelpProps) {
  return help ? (
    <div className="hint" id={helpId(fieldPathId)}>
      {help}
    </div>
  ) : null
}
