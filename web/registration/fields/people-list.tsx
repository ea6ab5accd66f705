/**
 * A list of people, each a small form: added, removed, and where the focus goes when they are. RJSF's
 * list with templates of our own; its theme's have buttons without words and cards in cards.
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
import type { Field, PublicEvent, RawAnswers } from '../../../engine/index.ts'
import type { FormConstants } from '../form/form-context.ts'
import { personName } from '../form/field-keys.ts'
import { wideOf } from '../form/form-sections.tsx'
import { uiOf, uiOfField } from '../form/ui-schema.ts'
import './people-list.css'

/** What the form library is told, with what is asked of each person. */
export function uiOfAll(event: PublicEvent): UiSchema<RawAnswers> {
  const ui = uiOf(event)
  for (const field of event.fields.filter(({ type }) => type === 'people')) {
    // A widget would draw the list as one control.
    const { 'ui:widget': _, ...own } = ui[field.id] as UiSchema
    const items = own.items as UiSchema
    ui[field.id] = {
      ...own,
      items: {
        ...items,
        'ui:ObjectFieldTemplate': Parts,
        ...Object.fromEntries(
          (field.fields ?? []).map((part) => {
            const told = uiOfField(part, null)
            return [
              part.id,
              {
                ...(items[part.id] as UiSchema | undefined),
                ...told,
                'ui:options': { ...told['ui:options'], key: `${field.id}.${part.id}` },
              },
            ]
          }),
        ),
      },
    }
  }
  return ui
}

/** RJSF types it by the list that it draws, the registry by any value. */
const ArrayField = RjsfArrayField as unknown as ComponentType<FieldProps>

const fieldOf = (constants: FormConstants, path: FieldProps['fieldPathId']['path']): Field => {
  const field = constants.fields.get(String(path[0]))
  assert(field !== undefined, `no list ${String(path[0])}`)
  return field
}

/** The defaults of a person's answers, which RJSF leaves to the schema, and the schema to us. */
const newPerson = (field: Field): RawAnswers =>
  Object.fromEntries(
    (field.fields ?? []).flatMap((part) =>
      part.default === undefined ? [] : [[part.id, part.default]],
    ),
  )

const isNew = (person: unknown): boolean =>
  typeof person !== 'object' || person === null || Object.keys(person).length === 0

/** RJSF's list, in which a person who has just been added starts with the defaults. */
export function ListField(props: FieldProps) {
  const { fieldPathId, registry, onChange } = props
  const field = fieldOf(registry.formContext as FormConstants, fieldPathId.path)
  if (field.type !== 'people') return <ArrayField {...props} />
  return (
    <ArrayField
      {...props}
      onChange={(value, ...rest) =>
        onChange(
          Array.isArray(value)
            ? value.map((person) => (isNew(person) ? newPerson(field) : (person as unknown)))
            : value,
          ...rest,
        )
      }
    />
  )
}

/** Told that a person is about to be taken off the list. */
const Removing = createContext<(at: number) => void>(() => {})

/** What can be answered or chosen in a small form. */
const CONTROLS = 'input:not([aria-hidden]), select, textarea, [role="combobox"]'

/** The list, and the button that adds to it. The focus goes to a new person's first question; after a removal to whom stands there now. */
export function People(props: ArrayFieldTemplateProps) {
  const { items, canAdd, disabled, fieldPathId, registry, onAddClick } = props
  const field = fieldOf(registry.formContext as FormConstants, fieldPathId.path)
  const box = useRef<HTMLDivElement>(null)
  /** What was done to the list last, until the focus has followed it. */
  const done = useRef<{ readonly added: true } | { readonly removed: number } | null>(null)
  const removing = useCallback((removed: number) => {
    done.current = { removed }
  }, [])
  const count = items.length
  useEffect(() => {
    const { current } = done
    done.current = null
    if (current === null) return
    const people = box.current?.querySelectorAll<HTMLElement>('.person') ?? []
    const next =
      'added' in current
        ? people[count - 1]?.querySelector<HTMLElement>(CONTROLS)
        : (people[Math.min(current.removed, count - 1)]?.querySelector<HTMLElement>('h3') ??
          box.current?.querySelector('button'))
    next?.focus()
  }, [count])
  return (
    <div ref={box} id={fieldPathId.$id}>
      {count > 0 && (
        <Removing value={removing}>
          <ol className="people">{items}</ol>
        </Removing>
      )}
      {canAdd ? (
        <button
          type="button"
          className="btn line"
          disabled={disabled}
          onClick={(click) => {
            done.current = { added: true }
            onAddClick(click)
          }}
        >
          {count === 0 ? 'Add a person' : 'Add another person'}
        </button>
      ) : (
        <p className="hint">
          You can list at most {field.max === 1 ? 'one person' : `${field.max} people`}.
        </p>
      )}
    </div>
  )
}

/** One person: a number to call them by, their questions, and how to take them off the list. */
export function PersonBox(props: ArrayFieldItemTemplateProps) {
  const { index, children, buttonsProps, disabled } = props
  const removing = use(Removing)
  const name = personName(index)
  return (
    <li className="person">
      <h3 tabIndex={-1}>{name}</h3>
      <button
        type="button"
        className="link"
        disabled={disabled}
        onClick={(click) => {
          removing(index)
          buttonsProps.onRemoveItem(click)
        }}
      >
        Remove<span className="vh"> {name}</span>
      </button>
      {children}
    </li>
  )
}

/** The questions about one person, short ones in pairs as everywhere. */
function Parts({ fieldPathId, properties, registry }: ObjectFieldTemplateProps) {
  const { fields = [] } = fieldOf(registry.formContext as FormConstants, fieldPathId.path)
  const wide = wideOf(fields)
  return (
    <div className="two">
      {properties.map(({ name, content }) => (
        <div key={name} className={wide.has(name) ? 'w' : ''}>
          {content}
        </div>
      ))}
    </div>
  )
}
