/** Parts that keep the page alive while the file is not right. */
import { Component } from 'react'
import type { ReactNode } from 'react'
import { Icon } from '../../shared/icons.tsx'
import type { Checking } from './draft.ts'

/** Says when what is shown is not what the file says now. */
export function Stale({ checking }: { readonly checking: Checking }) {
  const { checked, event } = checking
  if (checked === null || checked.event !== null) return null
  return (
    <p className="org-stale">
      <Icon name="tri" />
      {event === null
        ? 'This file cannot be read as an event yet. See Findings.'
        : 'The file cannot be read as it is now. This is what it said before; see Findings.'}
    </p>
  )
}

type GuardedProps = { readonly resetBy: unknown; readonly children: ReactNode }
type GuardedState = { readonly broken: boolean; readonly of: unknown }

/** An event with errors may ask for what cannot be drawn: then its place says so, and the editor stays. */
export class Guarded extends Component<GuardedProps, GuardedState> {
  override state: GuardedState = { broken: false, of: this.props.resetBy }
  static getDerivedStateFromError(): Partial<GuardedState> {
    return { broken: true }
  }
  static getDerivedStateFromProps(
    props: GuardedProps,
    state: GuardedState,
  ): Partial<GuardedState> | null {
    return props.resetBy === state.of ? null : { broken: false, of: props.resetBy }
  }
  override render(): ReactNode {
    return this.state.broken ? (
      <p className="org-stale">
        <Icon name="tri" />
        This cannot be drawn while the file has its errors. See Findings.
      </p>
    ) : (
      this.props.children
    )
  }
}
