import type { ClientRequest, IncomingMessage, InformationEvent } from "node:http";
import type { Socket } from "node:net";

/** Follows a request to a provider and its answer. */
export interface FollowsAnswer {
  connected(socket: Socket): void;
  failed(upstream: ClientRequest, error: NodeJS.ErrnoException): void;
  inform(status: number, headers: NodeJS.Dict<string | string[]>): void;
  switched(): void;
  pass(answer: IncomingMessage): void;
  passOn(answer: IncomingMessage, chunk: Buffer): void;
  complete(answer: IncomingMessage): void;
  closed(answer: IncomingMessage): void;
}

/** Under this, requests and answers know who follows them. Listeners of their own would be ten functions for each stream. */
const FOLLOWER = Symbol("follower");
type Followed<Of> = Of & { [FOLLOWER]: FollowsAnswer };

export function followRequest(upstream: ClientRequest, follower: FollowsAnswer): void {
  (upstream as Followed<ClientRequest>)[FOLLOWER] = follower;
  upstream
    .on("socket", connected)
    .on("error", failed)
    .on("information", informed)
    .on("upgrade", upgraded)
    .on("response", answered);
}

export function followAnswer(answer: IncomingMessage, follower: FollowsAnswer): void {
  (answer as Followed<IncomingMessage>)[FOLLOWER] = follower;
  answer.on("data", passOn).on("end", ended).on("error", nothing).on("close", closed);
}

function connected(this: ClientRequest, socket: Socket): void {
  followerOf(this).connected(socket);
}

function failed(this: ClientRequest, error: Error): void {
  followerOf(this).failed(this, error);
}

function informed(this: ClientRequest, { statusCode, headers }: InformationEvent): void {
  followerOf(this).inform(statusCode, headers);
}

function upgraded(this: ClientRequest, _answer: IncomingMessage, socket: Socket): void {
  socket.destroy();
  followerOf(this).switched();
}

function answered(this: ClientRequest, answer: IncomingMessage): void {
  if (answer.statusCode === 101) followerOf(this).switched();
  else followerOf(this).pass(answer);
}

function passOn(this: IncomingMessage, chunk: Buffer): void {
  followerOf(this).passOn(this, chunk);
}

function ended(this: IncomingMessage): void {
  followerOf(this).complete(this);
}

function closed(this: IncomingMessage): void {
  followerOf(this).closed(this);
}

function followerOf(one: ClientRequest | IncomingMessage): FollowsAnswer {
  return (one as Followed<typeof one>)[FOLLOWER];
}

/** Whatever is wrong with an answer closes it. */
function nothing(): void {}
