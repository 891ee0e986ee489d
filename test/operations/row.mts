import type { LoggedRequest, Payment } from '../../sandbox/sandbox.mts';
import type { By, OrderKind, World } from './world.mts';

/*
 * The rows of the table are written down from the documentation of the service and of the node, and on
 * purpose not taken from the node's own code: a slip in one of the two shows.
 */

export type Path = `/api/${string}`;

export type Json = Readonly<Record<string, unknown>>;

/** Values of the node's fields, by their names; those of a collection inside of it. */
export type Fields = Json;

/** How the data of an answer become items. */
export type Shape =
	/** Each entry of the list is an item. */
	| 'list'
	/** The object is the item. */
	| 'object'
	/** `proxy_list` has the items. */
	| 'proxies'
	/** Each key of the object is an item, with its value. */
	| 'map'
	/** Each text of the list is an item. */
	| 'texts';

/** A right answer of an endpoint, without its envelope, and what comes out of it. */
export interface Answer {
	readonly msg?: string;
	readonly data: unknown;
	/** Undefined where the items tell nothing of the data. */
	readonly shape?: Shape;
	/** In the items, beside what the data say. */
	readonly added?: readonly string[];
	/** What must not come out although the data say it. */
	readonly heldBack?: readonly string[];
	/** How many seconds each proxy lives, where the fields tell it and the entries do not. */
	readonly lifeSeconds?: number;
	/** JSON if not given. */
	readonly format?: 'text' | 'xml';
	/** Whether it holds a secret, so that nothing of it may be shown. */
	readonly isSecret?: true;
	/** Whether the order pays for what came, so that it comes out beside entries that cannot be read. */
	readonly isUsedUp?: true;
	/** Whether no case breaks it: what comes of that takes seconds, and another row tries it. */
	readonly staysWhole?: true;
	/** Whether the operation does its work also when this answer cannot be used. */
	readonly canDoWithout?: true;
}

/** What a run of an operation left behind. */
export interface Outcome {
	/** What the node put out, without n8n's wrapping. */
	readonly records: readonly Json[];
	/** Texts at the output. */
	readonly hints: readonly string[];
	/** The request that did the work. */
	readonly request: LoggedRequest;
	readonly payments: readonly Payment[];
}

/** One way to use an operation, with values that are right, and what has to come of it. */
export interface OperationCase {
	/** What is special about it. */
	readonly what: string;
	/** The order that it is about, or whose key pair fits. */
	readonly order?: OrderKind;
	/** Where only one of the key pairs that the operation takes will do. */
	readonly by?: By;
	readonly fields?: Fields;
	/** Brings about what has to be there before. */
	readonly arrange?: (world: World) => void;
	/** The endpoint that does the work; that of the operation if not given. */
	readonly path?: Path;
	/** Every endpoint that is called, in this order; the one of the work alone if not given. */
	readonly calls?: readonly Path[];
	/** Set where what the order is gets read before them: from the list of the account, or from its details. */
	readonly looksUp?: true;
	/** The same where the key pair of the account leads to the order in another way, with those that do. */
	readonly allCalls?: readonly Path[];
	/** What the request that does the work says, without what belongs to authentication. */
	readonly sent?: Readonly<Record<string, string>>;
	/** What the service answers to that request; 0 if not given. */
	readonly code?: number;
	/** Whether money is taken; for operations that cost any, yes if not given. */
	readonly isPaid?: boolean;
	/** The records that have to come out. */
	readonly gives?: (world: World) => readonly Json[];
	/** Throws when the outcome is not right. */
	readonly prove?: (outcome: Outcome, world: World) => void;
	/** What the service says to each call when nothing is wrong. */
	readonly answers?: Readonly<Record<Path, Answer>>;
}

/** All that the tests, the checks in n8n and the documentation say about an operation. */
export interface OperationRow {
	/** Its value in the menu. */
	readonly operation: string;
	/** Its name in the menu. */
	readonly label: string;
	/** Its name among the actions of the node. */
	readonly action: string;
	/** From top to bottom, what the editor shows when it has just been chosen. */
	readonly labels: readonly string[];
	/** The key pair that the endpoint takes; where it is an order's, 'Order' leads from the account to it. */
	readonly key: 'account' | 'order' | 'either';
	/** The endpoint that does the work. */
	readonly path: Path;
	readonly costs?: 'at once' | 'later';
	/** What the tab 'Settings' of the node says in the runs of its cases. */
	readonly settings?: { readonly onError: 'continueRegularOutput' };
	/** Fields each of whose choices has a case. */
	readonly everyChoiceOf?: readonly string[];
	/** The first one is the plainest. */
	readonly cases: readonly OperationCase[];
}

/**
 * What the node tells about a code: its message, and what to do. 'nothing found' for one that is no
 * failure, 'tries again' for one that is told only if it stays.
 */
export type Told = RegExp | 'nothing found' | 'tries again';

export type Codes = Readonly<Record<number, Told>>;

export interface EndpointRow {
	readonly path: Path;
	/** Its own codes, as the service documents them. */
	readonly codes: Codes;
	/** Those that leave open whether money was spent. */
	readonly outcomeUnknown?: readonly number[];
	/** Those that it has as well, and that leave open what was used up, in the calls of a read that use something up. */
	readonly outcomeUnknownWithQuota?: readonly number[];
	/** Over the table of its codes; the operations that do their work with it if not given. */
	readonly title?: string;
}

export interface ResourceRow {
	/** Its value in the menu. */
	readonly resource: string;
	/** Its name in the menu. */
	readonly label: string;
	/** The operation that it opens with. Workflows are saved without it, so it may never change. */
	readonly opensWith: string;
	/** In the order of the menu. */
	readonly operations: readonly OperationRow[];
	/** The endpoints of this area of the service. */
	readonly endpoints: readonly EndpointRow[];
}

/** Something that starts a workflow. */
export interface EventRow {
	/** Its value in the menu. */
	readonly event: string;
	/** Its name in the menu. */
	readonly label: string;
	/** Its name among the triggers. */
	readonly action: string;
	/** From top to bottom, what the editor shows below 'Event' when it has just been chosen. */
	readonly labels: readonly string[];
	/** The endpoint that tells. */
	readonly path: Path;
	readonly order?: OrderKind;
	readonly fields?: Fields;
	readonly arrange?: (world: World) => void;
	/** What the service says to each call, when nothing is wrong and the key pair is the right one. */
	readonly answers: Readonly<Record<Path, Answer>>;
	/** What has to come out when the trigger is tried out by hand, beside the name of the event. */
	readonly gives: (world: World) => readonly Json[];
}
