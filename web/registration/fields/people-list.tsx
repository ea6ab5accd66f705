/**
 * A list of people with a small form for each; moves the focus after a person is added or removed.
 * Uses RJSF's list with our own templates, because the theme's templates have buttons without text and nested cards.
 */
import RjsfArrayField from '@rjsf/core/lib/components/fields/ArrayField.js'
import type {
  ArrayFieldItemTemplateProps,
  ArrayFieldTemplateProps,
  FieldProps,
  ObjectFieldTemplateProps,
  UiSchema,
} from '@rjsf/utils'
import { createContext, use, useCallback, useEffect, useRef } from 'react'
import type { ComponentType } from 'react'
import { assert } from '../../../engine/index.ts'
import {
  EXTENDED_FORM_MESSAGES,
  formatMessage,
  selectPluralForm,
} from '../../../engine/messages.ts'
import type { Field, PublicEvent, RawAnswers } from '../../../engine/index.ts'
import { renderHiddenText, renderMessage } from '../../ui/rich-message.tsx'
import type { FormConstants } from '../form/form-context.ts'
import { getPersonName } from '../form/field-keys.ts'
import { findWideFields } from '../form/form-sections.tsx'
import { buildUiSchema, buildFieldUiSchema } from '../form/ui-schema.ts'
import './people-list.css'

const { people: messages } = EXTENDED_FORM_MESSAGES

/** Builds the RJSF UI schema of an event, including the fields of each person in a list. */
export function buildFullUiSchema(event: PublicEvent): UiSchema<RawAnswers> {
  const ui = buildUiSchema(event)
  for (const field of event.fields.filter(({ type }) => type === 'people')) {
    // A widget would render the whole list as one control.
    const { 'ui:widget': _, ...listSchema } = ui[field.id] as UiSchema
    const items = listSchema.items as UiSchema
    ui[field.id] = {
      ...listSchema,
      items: {
        ...items,
        'ui:ObjectFieldTemplate': PersonFields,
        ...Object.fromEntries(
          (field.fields ?? []).map((subfield) => {
            const subfieldSchema = buildFieldUiSchema(subfield, null)
            return [
              subfield.id,
              {
                ...(items[subfield.id] as UiSchema | undefined),
                ...subfieldSchema,
                'ui:options': {
                  ...subfieldSchema['ui:options'],
                  key: `${field.id}.${subfield.id}`,
                },
              },
            ]
          }),
        ),
      },
    }
  }
  return ui
}

/** RJSF's type accepts only array values, but the registry expects a field that accepts any value. */
const ArrayField = RjsfArrayField as unknown as ComponentType<FieldProps>

const findListField = (
  constants: FormConstants,
  path: FieldProps['fieldPathId']['path'],
): Field => {
  const field = constants.fields.get(String(path[0]))
  assert(field !== undefined, `no list ${String(path[0])}`)
  return field
}

/** Returns the default answers of a new person. RJSF takes them from the schema, and our schema has none. */
const createPerson = (field: Field): RawAnswers =>
  Object.fromEntries(
    (field.fields ?? []).flatMap((subfield) =>
      subfield.default === undefined ? [] : [[subfield.id, subfield.default]],
    ),
  )

const isNewPerson = (person: unknown): boolean =>
  typeof person !== 'object' || person === null || Object.keys(person).length === 0

/** Renders RJSF's list field. A new person starts with the default answers. */
export function ListField(props: FieldProps) {
  const { fieldPathId, registry, onChange } = props
  const field = findListField(registry.formContext as FormConstants, fieldPathId.path)
  if (field.type !== 'people') return <ArrayField {...props} />
  return (
    <ArrayField
      {...props}
      onChange={(value, ...rest) =>
        onChange(
          Array.isArray(value)
            ? value.map((person) =>
                isNewPerson(person) ? createPerson(field) : (person as unknown),
              )
            : value,
          ...rest,
        )
      }
    />
  )
}

/** Notifies the list that a person is about to be removed. */
const PersonRemoval = createContext<(at: number) => void>(() => {})

/** Selects the controls in a person's form that accept an answer. */
const CONTROLS_SELECTOR = 'input:not([aria-hidden]), select, textarea, [role="combobox"]'

/**
 * Shows the list and its Add button. Adding moves the focus to the new person's first field; removing moves it to the
 * person now at that position.
 */
export function People(props: ArrayFieldTemplateProps) {
  const { items, canAdd, disabled, fieldPathId, registry, onAddClick } = props
  const field = findListField(registry.formContext as FormConstants, fieldPathId.path)
  const container = useRef<HTMLDivElement>(null)
  /** The latest change to the list. Null once the focus has been moved. */
  const lastChange = useRef<{ readonly added: true } | { readonly removed: number } | null>(null)
  const onRemove = useCallback((removedIndex: number) => {
    lastChange.current = { removed: removedIndex }
  }, [])
  const count = items.length
  useEffect(() => {
    const { current } = lastChange
    lastChange.current = null
    if (current === null) return
    const people = container.current?.querySelectorAll<HTMLElement>('.person') ?? []
    const focusTarget =
      'added' in current
        ? people[count - 1]?.querySelector<HTMLElement>(CONTROLS_SELECTOR)
        : (people[Math.min(current.removed, count - 1)]?.querySelector<HTMLElement>('h3') ??
          container.current?.querySelector('button'))
    focusTarget?.focus()
  }, [count])
  return (
    <div ref={container} id={fieldPathId.$id}>
      {count > 0 && (
        <PersonRemoval value={onRemove}>
          <ol className="people">{items}</ol>
        </PersonRemoval>
      )}
      {canAdd ? (
        <button
          type="button"
          className="btn line"
          disabled={disabled}
          onClick={(clickEvent) => {
            lastChange.current = { added: true }
            onAddClick(clickEvent)
          }}
        >
          {count === 0 ? messages.add : messages.addAnother}
        </button>
      ) : (
        <p className="hint">
          {formatMessage(selectPluralForm(field.max ?? 0, messages.most), {
            count: field.max ?? 0,
          })}
        </p>
      )}
    </div>
  )
}

/** Shows one person: a number, the fields, and a Remove button. */
export function PersonBox(props: ArrayFieldItemTemplateProps) {
  const { index, children, buttonsProps, disabled } = props
  const onRemove = use(PersonRemoval)
  const name = getPersonName(index)
  return (
    <li className="person">
      <h3 tabIndex={-1}>{name}</h3>
      <button
        type="button"
        className="link"
        disabled={disabled}
        onClick={(clickEvent) => {
          onRemove(index)
          buttonsProps.onRemoveItem(clickEvent)
        }}
      >
        {renderMessage(messages.remove, { hidden: renderHiddenText, person: name })}
      </button>
      {children}
    </li>
  )
}

/** Shows the fields about one person; short fields in pairs, as in the rest of the form. */
function PersonFields({ fieldPathId, properties, registry }: ObjectFieldTemplateProps) {
  const { fields = [] } = findListField(registry.formContext as FormConstants, fieldPathId.path)
  const wideFields = findWideFields(fields)
  return (
    <div className="two">
      {properties.map(({ name, content }) => (
        <div key={name} className={wideFields.has(name) ? 'w' : ''}>
          {content}
        </div>
      ))}
    </div>
  )
}
