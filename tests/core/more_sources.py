"""Realistic small sources of the languages beyond the first nine, with what has to be read from them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Sample:
    """`kinds` is qualified name → kind; `targets` is `receiver.name` → target; `within` is a call's name → who makes it;
    `above` is qualified name → text above the definition that its chunk holds."""

    language: str
    path: str
    text: str
    kinds: dict[str, str]
    targets: dict[str, str] = field(default_factory=dict)
    imports: list[tuple[str, str, str]] = field(default_factory=list)
    docstrings: dict[str, str] = field(default_factory=dict)
    signatures: dict[str, str] = field(default_factory=dict)
    bases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    within: dict[str, str] = field(default_factory=dict)
    above: dict[str, str] = field(default_factory=dict)


CSHARP = Sample(
    "csharp",
    "src/Store.cs",
    """using System;
using static System.Math;
using Json = Newtonsoft.Json.Linq;

namespace Shop.Orders
{
    /// <summary>Keeps orders.</summary>
    [Serializable]
    public sealed class Store<T> : Base<T>, IStore where T : class
    {
        private readonly IClock _clock;

        public Store(IClock clock) : base(clock) { _clock = clock; }

        public Audit Trail { get; set; }

        /// <summary>Saves <c>one</c> order.</summary>
        [Obsolete("old"), Route("/x[0]")]
        public async Task<int> SaveAsync(Order order, int n = 3)
        {
            var made = new Invoice();
            await made.ValidateAsync<int>(n);
            this.Check(order);
            Check(order)?.Run();
            order?.Close();
            _clock.Now();
            Trail.Write("x");
            int Local(int a) => a + 1;
            return Local(Math.Max(1, 2));
        }

        bool Check(Order o) => o is not null;
        public T this[int i] { get { return items[i]; } }
        public static Store<T> operator +(Store<T> a, Store<T> b) => a;
    }

    public interface IStore { void Close(); int Size { get; } }
    public enum Kind { A, B }
    public record Point(int X, int Y);
    public struct Pair { public int a; }
    public delegate void Handler(int x);
}
""",
    kinds={
        "Store": "class",
        "Store.Store": "method",
        "Store.Trail": "method",
        "Store.SaveAsync": "method",
        "Store.SaveAsync.Local": "function",
        "Store.Check": "method",
        "Store.this": "method",
        "Store.operator": "method",
        "IStore": "interface",
        "IStore.Close": "method",
        "IStore.Size": "method",
        "Kind": "enum",
        "Point": "class",
        "Pair": "class",
        "Handler": "type",
    },
    targets={
        "made.ValidateAsync": "Invoice.ValidateAsync",
        "this.Check": "Store.Check",
        "Check": "Store.Check",
        "Check(order).Run": "",  # a method's result, not a Check made
        "order.Close": "Order.Close",
        "_clock.Now": "IClock.Now",
        "Trail.Write": "Audit.Write",
        "Math.Max": "Math.Max",
        "Local": "Store.SaveAsync.Local",
    },
    imports=[("System", "*", ""), ("System.Math", "*", ""), ("Newtonsoft.Json", "Linq", "Json")],
    docstrings={"Store": "Keeps orders.", "Store.SaveAsync": "Saves one order."},
    signatures={
        "Store": "public sealed class Store<T> : Base<T>, IStore where T : class",
        "Store.SaveAsync": "public async Task<int> SaveAsync(Order order, int n = 3)",
    },
    bases={"Store": ("Base", "IStore")},
    within={"Now": "Store.SaveAsync", "Invoice": "Store.SaveAsync"},
    above={"Store": "[Serializable]", "Store.SaveAsync": "/// <summary>Saves"},
)

RUBY = Sample(
    "ruby",
    "lib/shop/store.rb",
    """require 'json'
require_relative "store/base"

# Keeps things.
#
# More words.
module Shop
  LIMIT = 3

  class Store < Base::Model
    include Enumerable, Comparable
    attr_reader :name, :size

    # Saves one.
    def save(item, deep: false)
      check?(item)
      self.check?(item)
      item.close
      @log = Logger.new
      @log.info "x"
      order = Shop::Order.new(1)
      Util.run(1) { |x| x.go }
      super
    end

    def self.open(path) = new(path)

    class << self
      def build; open(1); end
    end

    private

    def check?(a)
      a
    end

    def ==(other); true; end
    scope :active, -> { where(a: 1) }
    define_method(:foo) { bar(1) }
    private def hidden; end
  end

  module Util
    def self.run(x) = helper(x)
    def self.helper(x) = x
  end

  Point = Struct.new(:x) do
    def dist; x; end
  end
end

class Shop::Thing; end

get '/x' do
  erb :index
end
""",
    kinds={
        "Shop": "class",
        "Shop.LIMIT": "constant",
        "Shop.Store": "class",
        "Shop.Store.name": "method",
        "Shop.Store.size": "method",
        "Shop.Store.save": "method",
        "Shop.Store.open": "method",
        "Shop.Store.build": "method",
        "Shop.Store.check?": "method",
        "Shop.Store.==": "method",
        "Shop.Store.active": "method",
        "Shop.Store.foo": "method",
        "Shop.Store.hidden": "method",
        "Shop.Util.run": "method",
        "Shop.Point": "class",
        "Shop.Point.dist": "method",
        "Shop.Thing": "class",
    },
    targets={
        "check?": "Shop.Store.check?",
        "self.check?": "Shop.Store.check?",
        "item.close": "",
        "@log.info": "Logger.info",
        "Util.run": "Shop.Util.run",
        "helper": "Shop.Util.helper",
        "open": "Shop.Store.open",
        "erb": "",
    },
    imports=[("json", "", ""), ("./store/base", "", "")],
    docstrings={"Shop": "Keeps things.", "Shop.Store.save": "Saves one."},
    signatures={"Shop.Store.save": "def save(item, deep: false)", "Shop.Store": "class Store < Base::Model"},
    bases={"Shop.Store": ("Base.Model", "Enumerable", "Comparable"), "Shop": ()},
    within={"info": "Shop.Store.save", "bar": "Shop.Store.foo", "erb": ""},
    above={"Shop.Store.save": "# Saves one.", "Shop.Store.hidden": "private def hidden"},
)

PHP = Sample(
    "php",
    "src/Store.php",
    r"""<?php
declare(strict_types=1);
namespace App\Orders;

use App\Models\Order;
use App\Models\{User, Post as P};
use function App\Util\run;
require_once __DIR__ . '/lib.php';

/**
 * Keeps orders.
 *
 * @package App
 */
#[Attr(1)]
abstract class Store extends Base implements IStore, \Countable
{
    use Loggable;
    public const LIMIT = 3;
    private Order $order;

    public function __construct(private Clock $clock, protected ?User $user = null) { $this->log = new Logger(); }

    /** Saves one. */
    #[Route('/x', methods: ['GET'])]
    public function save(Order $o, $loose): int
    {
        $m = new \App\Models\Invoice();
        $m->validate();
        $this->check($o);
        self::make();
        run(1);
        \strlen("x");
        User::find(1)?->close();
        $this->clock->now();
        $this->order->pay();
        $this->user->name();
        $this->log->info("x");
        $loose->any();
        helper(1);
        return 1;
    }

    abstract protected function check(Order $o);
    public static function make() { return new static; }
}

interface IStore { public function save(Order $o): int; }
trait Loggable { public function log() {} }
enum Suit: string { case H = 'h'; public function label(): string { return 'x'; } }
function helper(int $x): int { return $x; }
const ZERO = 0;
""",
    kinds={
        "Store": "class",
        "Store.LIMIT": "constant",
        "Store.__construct": "method",
        "Store.save": "method",
        "Store.check": "method",
        "Store.make": "method",
        "IStore": "interface",
        "IStore.save": "method",
        "Loggable": "class",
        "Loggable.log": "method",
        "Suit": "enum",
        "Suit.label": "method",
        "helper": "function",
        "ZERO": "constant",
    },
    targets={
        "$m.validate": "App.Models.Invoice.validate",
        "$this.check": "Store.check",
        "self.make": "Store.make",
        "run": "App.Util.run",
        "User.find": "App.Models.User.find",
        "$this->clock.now": "Clock.now",
        "$this->order.pay": "App.Models.Order.pay",
        "$this->user.name": "App.Models.User.name",
        "$this->log.info": "Logger.info",
        "$loose.any": "",
        "helper": "helper",
    },
    imports=[
        ("App.Models", "Order", "Order"),
        ("App.Models", "User", "User"),
        ("App.Models", "Post", "P"),
        ("App.Util", "run", "run"),
        ("./lib.php", "", ""),
    ],
    docstrings={"Store": "Keeps orders.", "Store.save": "Saves one."},
    signatures={
        "Store": r"abstract class Store extends Base implements IStore, \Countable",
        "Store.save": "public function save(Order $o, $loose): int",
    },
    bases={"Store": ("Base", "IStore", "Countable", "Loggable")},
    within={"now": "Store.save", "Logger": "Store.__construct"},
    above={"Store": "#[Attr(1)]", "Store.save": "/** Saves one. */"},
)

KOTLIN = Sample(
    "kotlin",
    "src/main/kotlin/shop/Store.kt",
    """package shop.orders

import shop.models.Order
import shop.util.run as go
import shop.more.*

const val LIMIT = 3
typealias Handler = (Int) -> Unit

/** Keeps orders. */
@Entity(name = "store")
data class Store<T>(val clock: Clock, var name: String = "x") : Base(clock), IStore {
    private val log: Logger? = null
    val made = Invoice(1)

    constructor(x: Int) : this(Clock())

    /**
     * Saves one.
     * @param order what is saved
     */
    @Deprecated("x")
    override suspend fun save(order: Order, loose: Any): Int {
        check(order)
        this.check(order)
        order?.close()
        clock.now()
        log?.info("x")
        made.pay()
        val h = Helper()
        h.run { it.go() }
        return go(1)
    }

    private fun check(o: Order) = true

    companion object {
        const val SIZE = 1
        fun make(): Store = Store(1)
    }

    inner class Inner {
        fun deep() {}
    }
}

interface IStore {
    fun save(order: Order): Int
}

enum class Kind(val x: Int) {
    A(1), B(2);
    fun next() = 1
}

object Single : Base() {
    fun one() {}
}

fun String.shout(a: Int): String = this.trim()
""",
    kinds={
        "LIMIT": "constant",
        "Handler": "type",
        "Store": "class",
        "Store.constructor": "method",
        "Store.save": "method",
        "Store.check": "method",
        "Store.SIZE": "constant",
        "Store.make": "method",
        "Store.Inner": "class",
        "Store.Inner.deep": "method",
        "IStore": "interface",
        "IStore.save": "method",
        "Kind": "enum",
        "Kind.next": "method",
        "Single": "class",
        "Single.one": "method",
        "shout": "function",
    },
    targets={
        "check": "Store.check",
        "this.check": "Store.check",
        "order.close": "shop.models.Order.close",
        "clock.now": "Clock.now",
        "log.info": "Logger.info",
        "made.pay": "Invoice.pay",
        "h.run": "Helper.run",
        "it.go": "",
        "run": "shop.util.run",
        "Store": "Store",
    },
    imports=[("shop.models", "Order", "Order"), ("shop.util", "run", "go"), ("shop.more", "*", "")],
    docstrings={"Store": "Keeps orders.", "Store.save": "Saves one."},
    signatures={"Store.save": "override suspend fun save(order: Order, loose: Any): Int"},
    bases={"Store": ("Base", "IStore"), "Single": ("Base",)},
    within={"now": "Store.save"},
    above={"Store": "@Entity", "Store.save": "* Saves one."},
)

BASH = Sample(
    "shell",
    "bin/save.sh",
    """#!/bin/bash
set -eu
source ./lib.sh
. "$DIR/common.sh"
readonly LIMIT=3
export TARGET="a"

# Saves one.
save() {
  local item=$1
  check "$item" || return 1
  result=$(compute "$item")
  cat <<EOF
x }
EOF
}

function check { test -n "$1"; }
function third() (
  save a
)

if true; then save x; fi
main "$@"
""",
    kinds={"LIMIT": "constant", "TARGET": "constant", "save": "function", "check": "function", "third": "function"},
    targets={"check": "check", "save": "save", "compute": "", "main": ""},
    imports=[("./lib.sh", "", ""), ("./common.sh", "", "")],
    docstrings={"save": "Saves one."},
    signatures={"save": "save()"},
    within={"compute": "save", "main": ""},
    above={"save": "# Saves one."},
)

LUA = Sample(
    "lua",
    "lib/store.lua",
    """local json = require("json")
local util = require "lib.util"
local LIMIT = 3

--- A table that keeps things.
local Store = {}
Store.__index = Store

--- Saves one.
-- And says so.
-- @param item what is saved
function Store:save(item)
  self:check(item)
  json.encode(item)
  helper(1)
  item.x.y:go "x"
  Store.new(1):check(item)
end

function Store.new(a) return setmetatable({}, Store) end
function Store:check(a) return a end
local function helper(x) return util.run(x) end
Store.run = function(x) return Store.new(x) end
local later = function() end
local Table = {
  f = function(a) return a end,
  g = 1,
}
return Store
""",
    kinds={
        "LIMIT": "constant",
        "Store": "constant",
        "Store.save": "method",
        "Store.new": "method",
        "Store.check": "method",
        "helper": "function",
        "Store.run": "method",
        "later": "function",
        "Table": "constant",
        "Table.f": "method",
    },
    targets={
        "self.check": "Store.check",
        "json.encode": "json.encode",
        "util.run": "lib.util.run",
        "Store.new": "Store.new",
        "item.x.y.go": "",
    },
    imports=[("json", "", "json"), ("lib.util", "", "util")],
    docstrings={"Store.save": "Saves one. And says so.", "Store": "A table that keeps things."},
    signatures={"Store.save": "function Store:save(item)", "helper": "local function helper(x)"},
    within={"encode": "Store.save", "run": "helper"},
    above={"Store.save": "--- Saves one."},
)

SCALA = Sample(
    "scala",
    "src/main/scala/shop/Store.scala",
    """package shop.orders

import shop.models.Order
import shop.util.{Run, Go => G, _}
import shop.more.deep, shop.less.shallow

/** Keeps orders. */
@Serial
class Store[T](val clock: Clock, name: String = "x") extends Base(clock) with IStore {
  private val log: Logger = new Logger()
  val made = new Invoice(1)

  /**
   * Saves one.
   * @param order what is saved
   */
  @deprecated("x", "1")
  override def save(order: Order, loose: Any): Int = {
    check(order)
    this.check(order)
    order.close()
    clock.now()
    log.info("x")
    made.pay()
    val h = new Helper()
    h.run(1)
    list.map(x => x.go(1))
    G.start()
  }

  private def check(o: Order) = true
}

object Store {
  val Size = 1
  def make(): Store = new Store(1)
}

trait IStore { def save(order: Order): Int }
case class Pair(x: Int)
enum Kind(val x: Int) { case A extends Kind(1) }
type Handler = Int => Unit
def top(x: Int): Int = x
""",
    kinds={
        "Store": "class",
        "Store.save": "method",
        "Store.check": "method",
        "Store.Size": "constant",
        "Store.make": "method",
        "IStore": "interface",
        "IStore.save": "method",
        "Pair": "class",
        "Kind": "enum",
        "Handler": "type",
        "top": "function",
    },
    targets={
        "check": "Store.check",
        "this.check": "Store.check",
        "order.close": "shop.models.Order.close",
        "clock.now": "Clock.now",
        "log.info": "Logger.info",
        "made.pay": "Invoice.pay",
        "h.run": "Helper.run",
        "x.go": "",
        "G.start": "shop.util.Go.start",
        "Store": "Store",
    },
    imports=[
        ("shop.models", "Order", "Order"),
        ("shop.util", "Run", "Run"),
        ("shop.util", "Go", "G"),
        ("shop.util", "*", ""),
        ("shop.more", "deep", "deep"),
        ("shop.less", "shallow", "shallow"),
    ],
    docstrings={"Store.save": "Saves one."},
    signatures={"Store.save": "override def save(order: Order, loose: Any): Int"},
    bases={"Pair": ()},
    within={"now": "Store.save"},
    above={"Store.save": "@deprecated"},
)

SWIFT = Sample(
    "swift",
    "Sources/Store.swift",
    """import Foundation
import struct Shop.Order
@testable import App

/// Keeps orders.
@MainActor
public final class Store<T>: Base, IStore {
    private let log: Logger = Logger()
    var made = Invoice(1)
    var size: Int { return items.count }

    init(clock: Clock) { super.init() }

    /// Saves one.
    ///
    /// And more.
    @discardableResult
    func save(_ order: Order?, n: Int = 3) async throws -> Int {
        check(order)
        self.check(order)
        order?.close()
        log.info("x")
        made.pay()
        let h = Helper()
        h.run { $0.go() }
        try await list.map { x in x.any() }
        return Store.make(1)
    }

    func check(_ order: Order?) {}
    static func make() -> Store { Store() }
}

struct Pair { var x: Int; mutating func flip() {} }
protocol IStore { func save(_ order: Order) -> Int }
enum Kind: String { case a; func next() {} }
extension Store: Codable { func extra() {} }
actor Worker { func go() {} }
typealias Handler = (Int) -> Void
func helper<T>(_ x: T) -> T { x }
let top = 3
""",
    kinds={
        "Store.size": "method",
        "Store.init": "method",
        "Store.save": "method",
        "Store.check": "method",
        "Store.make": "method",
        "Pair": "class",
        "Pair.flip": "method",
        "IStore": "interface",
        "IStore.save": "method",
        "Kind": "enum",
        "Store": "impl",
        "Store.extra": "method",
        "Worker": "class",
        "Handler": "type",
        "helper": "function",
        "top": "constant",
    },
    targets={
        "check": "Store.check",
        "self.check": "Store.check",
        "order.close": "Shop.Order.close",
        "log.info": "Logger.info",
        "made.pay": "Invoice.pay",
        "h.run": "Helper.run",
        "x.any": "",
        "Store.make": "Store.make",
    },
    imports=[("Foundation", "*", ""), ("Shop", "Order", "Order"), ("App", "*", "")],
    docstrings={"Store.save": "Saves one."},
    signatures={
        "Store.save": "func save(_ order: Order?, n: Int = 3) async throws -> Int",
        "Store": "extension Store: Codable",
    },
    bases={"Store": ("Codable",), "Kind": ("String",)},
    within={"info": "Store.save"},
    above={"Store.save": "@discardableResult"},
)

ELIXIR = Sample(
    "elixir",
    "lib/store.ex",
    '''defmodule Shop.Store do
  @moduledoc """
  Keeps orders.

  More.
  """
  use GenServer
  import Shop.Util, only: [run: 1]
  alias Shop.Models.Order
  alias Shop.Models.{User, Post}
  alias Shop.Ledger, as: Book
  require Logger
  @limit 3

  @doc "Saves one."
  @spec save(t, integer) :: integer
  def save(%Order{} = order, n) when n > 1 do
    check(order)
    Order.close(order)
    order |> Book.write(1) |> finish()
    __MODULE__.init(1)
    Enum.map(list, fn x -> other(x) end)
  end

  def short(a), do: check(a)
  defp check(o), do: true

  def noargs do
    User.find(1)
  end

  defmacro mac(x) do
    quote do: unquote(x)
  end

  @impl true
  def init(s), do: {:ok, s}
end

defprotocol Sized do
  def size(x)
end

defimpl Sized, for: Shop.Store do
  def size(_), do: 1
end
''',
    kinds={
        "Shop.Store": "class",
        "Shop.Store.save": "method",
        "Shop.Store.short": "method",
        "Shop.Store.check": "method",
        "Shop.Store.noargs": "method",
        "Shop.Store.mac": "method",
        "Shop.Store.init": "method",
        "Sized": "class",
        "Sized.size": "method",
    },
    targets={
        "check": "Shop.Store.check",
        "Order.close": "Shop.Models.Order.close",
        "User.find": "Shop.Models.User.find",
        "Book.write": "Shop.Ledger.write",
        "__MODULE__.init": "Shop.Store.init",
        "other": "",
    },
    imports=[
        ("GenServer", "*", ""),
        ("Shop.Util", "*", ""),
        ("Shop.Models", "Order", "Order"),
        ("Shop.Models", "User", "User"),
        ("Shop.Models", "Post", "Post"),
        ("Shop", "Ledger", "Book"),
        ("Logger", "", "Logger"),
    ],
    docstrings={"Shop.Store": "Keeps orders.", "Shop.Store.save": "Saves one."},
    signatures={"Shop.Store.save": "def save(%Order{} = order, n) when n > 1"},
    within={"finish": "Shop.Store.save", "find": "Shop.Store.noargs"},
    above={"Shop.Store.save": "@spec save", "Shop.Store.init": "@impl true"},
)

SQL = Sample(
    "sql",
    "db/schema.sql",
    """-- People who may log in.
CREATE TABLE IF NOT EXISTS shop.users (
  id INTEGER PRIMARY KEY,
  team INTEGER REFERENCES teams(id)
);
CREATE INDEX by_name ON users (name);
CREATE VIEW active AS SELECT * FROM users WHERE id > total(1);

/* Sums up. */
CREATE OR REPLACE FUNCTION total(a integer) RETURNS integer AS $$
BEGIN
  RETURN a;
END;
$$ LANGUAGE plpgsql;

CREATE TYPE mood AS ENUM ('a', 'b');
CREATE TRIGGER checked BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION total();
ALTER TABLE users ADD COLUMN x INT;
INSERT INTO users (id) VALUES (1);
""",
    kinds={
        "users": "type",
        "by_name": "constant",
        "active": "type",
        "total": "function",
        "mood": "type",
        "checked": "function",
    },
    targets={"teams": "", "users": "users", "total": "total"},
    docstrings={"users": "People who may log in.", "total": "Sums up."},
    signatures={"total": "CREATE OR REPLACE FUNCTION total(a integer) RETURNS integer"},
    within={"teams": "users", "total": "checked", "users": ""},
    above={"users": "-- People"},
)

SOURCES = (CSHARP, RUBY, PHP, KOTLIN, BASH, LUA, SCALA, SWIFT, ELIXIR, SQL)
