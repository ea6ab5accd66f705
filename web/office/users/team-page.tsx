/** The team, for owners of all events: invite users, set roles and events, remove users. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { isRole, ROLE_DESCRIPTIONS, ROLES, ROLE_LABELS } from '../../../engine/index.ts'
import type { UsersResponse, UserUpdatedResponse, WireUser } from '../../../engine/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { ApiForm, Field } from '../ui/form-fields.tsx'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { readUsers, readUserUpdate } from './users-api-responses.ts'
import { formatDateTime } from '../ui/format-date-time.ts'
import '../registration/registration-details-page.css'
import './team-page.css'

const API_PATH = '/api/admin/admins/'

export function TeamPage({ username }: { readonly username: string }) {
  const [result, setResult] = useState<UserUpdatedResponse | null>(null)
  const query = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => callApi(API_PATH, readUsers, { signal }),
  })
  const error = useSignInOn401(query.error)
  const reload = () => void query.refetch()
  const onDone = (response: UserUpdatedResponse) => {
    setResult(response)
    reload()
  }
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Team" />
      {error && <Banner text={error.message} action={{ label: 'Try Again', onClick: reload }} />}
      {query.data === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the team</span>
        </p>
      )}
      <div role="status">{result && <ResultNotice response={result} />}</div>
      {query.data && (
        <div className="panels top">
          <section className="panel" aria-labelledby="people">
            <h2 id="people">Members</h2>
            <ul className="log persons">
              {query.data.people.map((member) => (
                <TeamMember
                  key={member.username}
                  member={member}
                  isSelf={member.username === username}
                  events={query.data.events}
                  onDone={onDone}
                />
              ))}
            </ul>
          </section>
          <div>
            <section className="panel" aria-labelledby="add">
              <h2 id="add">Invite</h2>
              <ApiForm
                label="Invite"
                path={API_PATH}
                read={readUserUpdate}
                button="Create invitation link"
                extraValues={readPermissions}
                onDone={onDone}
              >
                <Field
                  name="username"
                  label="Username"
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                />
                <PermissionFields
                  initialRole="viewer"
                  selectedEvents={null}
                  events={query.data.events}
                />
              </ApiForm>
            </section>
            <SecondFactorRequirement isOn={query.data.second_factor_required} onDone={onDone} />
          </div>
        </div>
      )}
    </main>
  )
}

/** Shows the result of an action and, once only, the link for the user. */
function ResultNotice({ response: { message, link } }: { readonly response: UserUpdatedResponse }) {
  const [isCopied, setIsCopied] = useState(false)
  const container = useRef<HTMLDivElement>(null)
  // The pressed button may have disappeared, so the focus moves to this element.
  useEffect(() => {
    setIsCopied(false)
    container.current?.focus()
  }, [message, link])
  return (
    <div className="one-time-link" ref={container} tabIndex={-1}>
      <p>{message}</p>
      {link !== null && (
        <>
          <p className="code">{link}</p>
          <button
            type="button"
            className="btn line sm"
            onClick={() => void navigator.clipboard.writeText(link).then(() => setIsCopied(true))}
          >
            {isCopied ? 'Copied' : 'Copy link'}
          </button>
          <p className="mute small">
            The link works once and expires after three days. You will not be able to see it again.
          </p>
        </>
      )}
    </div>
  )
}

type EventChoices = UsersResponse['events']
type OnDone = (response: UserUpdatedResponse) => void

/**
 * Returns the events of the form as call parameters. The parameter is `events`, because `event`
 * identifies the event that a call is about.
 */
function readPermissions(form: FormData): Readonly<Record<string, unknown>> {
  return { event: undefined, events: form.get('all') === 'yes' ? null : form.getAll('event') }
}

function TeamMember({
  member,
  isSelf,
  events,
  onDone,
}: {
  readonly member: WireUser
  readonly isSelf: boolean
  readonly events: EventChoices
  readonly onDone: OnDone
}) {
  const [isOpen, setIsOpen] = useState(false)
  const [isRemoving, setIsRemoving] = useState(false)
  const { username, role } = member
  const memberPath = `${API_PATH}${encodeURIComponent(username)}/`
  const closeAndReport: OnDone = (response) => {
    setIsOpen(false)
    setIsRemoving(false)
    onDone(response)
  }
  const getEventTitle = (id: string): string => events.find((event) => event.id === id)?.title ?? id
  return (
    <li>
      <div className="person">
        <span>
          <b>{username}</b>
          <small>
            {[
              `${ROLE_LABELS[role]} (${member.events === null ? 'all events' : member.events.map(getEventTitle).join(', ')})`,
              member.signed_in_at === null
                ? 'never signed in'
                : `last signed in ${formatDateTime(member.signed_in_at)}`,
              ...(member.invited_until === null
                ? []
                : [`invitation valid until ${formatDateTime(member.invited_until)}`]),
            ].join(' · ')}
          </small>
        </span>
        <span className="r">
          {isSelf && (
            <Badge tone="good" icon="tick">
              You
            </Badge>
          )}
          {member.has_second_factor && (
            <Badge tone="back" icon="lock">
              Two-step sign-in
            </Badge>
          )}
        </span>
      </div>
      <details
        className="choices"
        open={isOpen}
        onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      >
        <summary>
          Change<span className="vh"> {username}</span>
        </summary>
        {isOpen && (
          <>
            <ApiForm
              label={`Permissions of ${username}`}
              path={`${memberPath}may/`}
              read={readUserUpdate}
              button="Save"
              extraValues={readPermissions}
              onDone={closeAndReport}
            >
              <PermissionFields initialRole={role} selectedEvents={member.events} events={events} />
            </ApiForm>
            <div className="actions">
              {!isSelf && (
                <ApiForm
                  label={`Reset the password of ${username}`}
                  path={`${memberPath}link/`}
                  read={readUserUpdate}
                  button="Create password link"
                  isQuiet
                  onDone={closeAndReport}
                />
              )}
              {!isSelf && member.has_second_factor && (
                <ApiForm
                  label={`Two-step sign-in of ${username}`}
                  path={`${memberPath}reset-second-factor/`}
                  read={readUserUpdate}
                  button="Remove two-step sign-in"
                  isQuiet
                  onDone={closeAndReport}
                />
              )}
              <button type="button" className="btn line sm" onClick={() => setIsRemoving(true)}>
                Remove
              </button>
            </div>
          </>
        )}
      </details>
      {isRemoving && (
        <Dialog title={`Remove ${username}?`} onClose={() => setIsRemoving(false)}>
          <p>
            {username} will be signed out everywhere and will not be able to sign in again. The
            audit log keeps their entries.
          </p>
          <div className="actions">
            <ApiForm
              label={`Remove ${username}`}
              path={`${memberPath}remove/`}
              read={readUserUpdate}
              button="Remove"
              onDone={closeAndReport}
            />
            <button type="button" className="btn line sm" onClick={() => setIsRemoving(false)}>
              {' '}
              Cancel{' '}
            </button>
          </div>
        </Dialog>
      )}
    </li>
  )
}

/** Fields for a role and the events it applies to. */
function PermissionFields({
  initialRole,
  selectedEvents,
  events,
}: {
  readonly initialRole: string
  readonly selectedEvents: readonly string[] | null
  readonly events: EventChoices
}) {
  const [role, setRole] = useState(initialRole)
  const [hasAllEvents, setHasAllEvents] = useState(selectedEvents === null)
  // Events whose files were removed stay selected until the user deselects them.
  const missingEvents = (selectedEvents ?? []).filter((id) =>
    events.every((event) => event.id !== id),
  )
  return (
    <>
      <div className="labelled-field">
        <label>
          Role
          <select name="role" value={role} onChange={({ target }) => setRole(target.value)}>
            {ROLES.map((roleOption) => (
              <option key={roleOption} value={roleOption}>
                {ROLE_LABELS[roleOption]}
              </option>
            ))}
          </select>
        </label>
        <p className="hint">{isRole(role) && ROLE_DESCRIPTIONS[role]}</p>
      </div>
      <fieldset>
        <legend>Events</legend>
        <label className="choice">
          <input
            type="checkbox"
            name="all"
            value="yes"
            checked={hasAllEvents}
            onChange={({ target }) => setHasAllEvents(target.checked)}
          />
          <span>All events, including future ones</span>
        </label>
        {!hasAllEvents &&
          [...events, ...missingEvents.map((id) => ({ id, title: id }))].map(({ id, title }) => (
            <label className="choice" key={id}>
              <input
                type="checkbox"
                name="event"
                value={id}
                defaultChecked={selectedEvents?.includes(id) ?? false}
              />
              <span>{title}</span>
            </label>
          ))}
      </fieldset>
    </>
  )
}

function SecondFactorRequirement({
  isOn,
  onDone,
}: {
  readonly isOn: boolean
  readonly onDone: OnDone
}) {
  return (
    <section className="panel" aria-labelledby="required">
      <div className="panel-header">
        <h2 id="required">Two-step sign-in</h2>
        <Badge tone={isOn ? 'good' : 'care'} icon={isOn ? 'tick' : 'lock'}>
          {isOn ? 'Required' : 'Optional'}
        </Badge>
      </div>
      <p className="mute">
        {isOn
          ? 'Treasurers and owners can open only their own account until they set it up.'
          : 'Recommended for treasurers and owners. Users set it up under Your account.'}
      </p>
      <ApiForm
        label="Two-step sign-in requirement"
        path={`${API_PATH}second-factor/`}
        read={readUserUpdate}
        button={isOn ? 'Make it optional' : 'Require for treasurers and owners'}
        isQuiet
        extraValues={() => ({ required: !isOn })}
        onDone={onDone}
      />
    </section>
  )
}
